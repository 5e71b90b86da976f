package dev.weir.cli.option;

import java.nio.file.Path;

import dev.weir.storage.settings.WorkerSettings.UnnamedFolder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a storage keeps its files; the same for every command that is about them. */
public final class DataOption {
    @Option(names = "--data", paramLabel = "DIR",
            description = "Data folder of the storage (default: ${XDG_DATA_HOME:-~/.local/share}/weir).")
    private @Nullable Path data;

    /** Returns the folder that was given, or else the usual one. */
    public Path folder() {
        return folder(data);
    }

    /** Returns the folder for a configuration that names none. */
    public UnnamedFolder unnamed() {
        return new UnnamedFolder(folder(), data != null);
    }

    /** Returns a given folder, or else the usual one. */
    public static Path folder(@Nullable Path given) {
        if (given != null) {
            return given;
        }
        String xdg = System.getenv("XDG_DATA_HOME");
        return xdg != null && !xdg.isEmpty()
                ? Path.of(xdg, "weir")
                : Path.of(System.getProperty("user.home"), ".local", "share", "weir");
    }
}
