package dev.weir.bench.nodes;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import dev.weir.bench.peer.Launcher;
import dev.weir.bench.peer.Workspace;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options common to the programs about nodes. */
final class NodeOptions {
    @Option(names = "--dir", paramLabel = "DIR", defaultValue = "${sys:weir.bench.dir:-${sys:java.io.tmpdir}}",
            description = "Parent of the data folders (default: ${DEFAULT-VALUE}).")
    private Path dir = Path.of(".");

    @Mixin
    private final Launcher launcher = new Launcher();

    Workspace openWorkspace() throws IOException {
        return Workspace.open(dir);
    }

    /** Returns the command line that runs {@code weir}. */
    List<String> weir() {
        return launcher.command();
    }
}
