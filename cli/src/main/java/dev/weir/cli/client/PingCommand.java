package dev.weir.cli.client;

import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir ping}: a measurement of the time that a storage takes to answer. */
@Command(name = "ping", mixinStandardHelpOptions = true,
        description = "Reports whether a storage answers, and how fast.",
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the storage answered",
            "2:the command line is wrong",
            "4:the storage rejected the request",
            "5:the storage did not answer"})
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
