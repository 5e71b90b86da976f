package dev.weir.cli.control;

import java.util.concurrent.Callable;

import dev.weir.cli.terminal.Terminal;
import picocli.CommandLine.Mixin;

/** A command that asks a running storage and prints its answer. */
abstract class StorageRequest implements Callable<Integer> {
    final Terminal terminal;

    @Mixin
    RunningStorage storage = new RunningStorage();

    StorageRequest(Terminal terminal) {
        this.terminal = terminal;
    }
}
