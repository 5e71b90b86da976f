package dev.weir.cli.client;

import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir ping}: a test of whether a storage answers, and how fast. */
@Command(name = "ping", mixinStandardHelpOptions = true,
        description = "Reports whether a storage answers, and how fast.")
public final class PingCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private StorageOptions storageOptions = new StorageOptions();

    public PingCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return storageOptions.use(storage -> {
            double milliseconds = storage.ping().toNanos() / 1e6;
            terminal.out().printf(Locale.ROOT, "%s answered in %.3f ms%n", storage.address(), milliseconds);
            return ExitCode.OK;
        });
    }
}
