package dev.weir.cli.option;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.os.HomeFolder;
import dev.weir.storage.settings.WorkerSettings.UnnamedFolder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option for the data folder of a storage. */
public final class DataOption {
    /** The help text, the same in every command and on every machine. */
    public static final String DESCRIPTION = "Data folder (default: $XDG_DATA_HOME/weir or "
            + "~/.local/share/weir).";

    /** The data folder of the packages' service. */
    public static final Path SERVICE = Path.of("/var/lib/weir");

    @Option(names = "--data", paramLabel = "DIR", description = DESCRIPTION)
    private @Nullable Path data;

    /** Returns the given folder, or the default folder. */
    public Path folder() {
        return folder(data);
    }

    /** Returns the folder for a configuration that does not name one. */
    public UnnamedFolder unnamed() {
        return new UnnamedFolder(folder(), data != null);
    }

    /** Returns the given folder, or the default folder if it is null. */
    public static Path folder(@Nullable Path given) {
        if (given != null) {
            return given;
        }
        String xdg = System.getenv("XDG_DATA_HOME");
        return xdg != null && !xdg.isEmpty()
                ? Path.of(xdg, "weir")
                : HomeFolder.of(System.getenv()).resolve(Path.of(".local", "share", "weir"));
    }

    /**
     * Returns the folder to read: like {@link #folder()}, but that of the installed service if the default folder does
     * not exist and this process may read the service's.
     */
    public Path folderToRead() {
        return folderToRead(data, folder(null), SERVICE);
    }

    static Path folderToRead(@Nullable Path given, Path usual, Path service) {
        if (given != null) {
            return given;
        }
        return !Files.exists(usual) && Files.isReadable(service) ? service : usual;
    }
}
