package dev.weir.bench.http;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import dev.weir.bench.peer.Launcher;
import dev.weir.bench.peer.RspamdInstallation;
import dev.weir.bench.peer.Workspace;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options common to the programs that measure Weir and Rspamd with the same mails in turns. */
final class ScannerOptions {
    @Option(names = "--connections", paramLabel = "N", defaultValue = "16",
            description = "Concurrent requests (default: ${DEFAULT-VALUE}).")
    private int connections;

    @Option(names = "--rounds", paramLabel = "N", defaultValue = "3",
            description = "Alternating rounds (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Mixin
    private final Launcher launcher = new Launcher();

    @Option(names = "--rspamd", paramLabel = "DIR",
            description = "The prefix of an installed Rspamd (default: that of the system).")
    private @Nullable Path rspamd;

    @Option(names = "--dir", paramLabel = "DIR", defaultValue = "${sys:weir.bench.dir:-${sys:java.io.tmpdir}}",
            hidden = true)
    private Path dir = Path.of(".");

    int connections() {
        return connections;
    }

    int rounds() {
        return rounds;
    }

    /** Returns the command that starts Weir. */
    List<String> weir() throws IOException, InterruptedException {
        return launcher.command();
    }

    /** Returns the Rspamd to measure. */
    RspamdInstallation rspamd() throws IOException, InterruptedException {
        return RspamdInstallation.at(rspamd);
    }

    /** Opens a workspace for both. */
    Workspace open() throws IOException {
        return Workspace.open(dir);
    }
}
