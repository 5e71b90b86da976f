package dev.weir.cli.control;

import java.util.concurrent.Callable;

import dev.weir.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A command that asks a running storage and prints its answer. Commands inherit the parts that are annotated here. */
@Command(mixinStandardHelpOptions = true, exitCodeListHeading = ControlCommand.EXIT_STATUS)
abstract class StorageRequest implements Callable<Integer> {
    final Terminal terminal;

    @Mixin
    RunningStorage storage = new RunningStorage();

    StorageRequest(Terminal terminal) {
        this.terminal = terminal;
    }
}
