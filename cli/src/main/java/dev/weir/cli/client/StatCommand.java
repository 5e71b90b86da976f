package dev.weir.cli.client;

import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir stat}: the statistics that a storage reports over the fuzzy protocol. */
@Command(name = "stat", mixinStandardHelpOptions = true, description = "Prints how many hashes a storage holds.",
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the storage answered",
            "2:the command line is wrong",
            "4:the storage rejected the request",
            "5:the storage did not answer"})
public final class StatCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private StorageOptions storageOptions = new StorageOptions();

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    public StatCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return storageOptions.use(storage -> {
            long count = storage.count();
            if (json) {
                JsonLines.line(terminal.out(), generator -> {
                    generator.writeStringProperty("server", storage.address().toString());
                    generator.writeNumberProperty("hashes", count);
                });
            } else {
                terminal.out().printf(Locale.ROOT, "%s holds %d %s%n", storage.address(), count,
                        count == 1 ? "hash" : "hashes");
            }
            return ExitCode.OK;
        });
    }
}
