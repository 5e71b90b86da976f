package dev.weir.cli;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The folder of a storage. */
final class DataOption {
    @Option(names = "--data", paramLabel = "DIR", description = "Folder of fuzzy.db (default: ${XDG_DATA_HOME:-~/.local/share}/weir).")
    private @Nullable Path data;

    /** What the option says, or the folder that {@code weir serve} takes without one. */
    Path folder() {
        return orStandard(data);
    }

    static Path orStandard(@Nullable Path given) {
        if (given != null) {
            return given;
        }
        final String xdg = System.getenv("XDG_DATA_HOME");
        return xdg != null && !xdg.isEmpty()
                ? Path.of(xdg, "weir")
                : Path.of(System.getProperty("user.home"), ".local", "share", "weir");
    }
}
