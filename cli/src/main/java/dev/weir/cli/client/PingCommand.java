package dev.weir.cli.client;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
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
            terminal.out().println(storage.address() + " answered in " + milliseconds(storage.ping()) + " ms");
            return ExitCode.OK;
        });
    }

    /** Returns milliseconds with three decimals. A formatter would load a locale, which takes longer than a ping. */
    static String milliseconds(Duration time) {
        return BigDecimal.valueOf(time.toNanos(), 6).setScale(3, RoundingMode.HALF_UP).toPlainString();
    }
}
