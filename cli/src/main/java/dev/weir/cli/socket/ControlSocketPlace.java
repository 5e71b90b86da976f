package dev.weir.cli.socket;

import java.nio.file.Files;
import java.nio.file.Path;

import dev.weir.cli.option.DataOption;
import dev.weir.storage.DataFolder;
import org.jspecify.annotations.Nullable;

/** Where commands look for the control socket of a running storage on this machine. */
public final class ControlSocketPlace {
    /** The help text of the option. */
    public static final String DESCRIPTION = "Path of the control socket (default: control.sock in the data folder; "
            + "without --data, if it is not there, /run/weir/control.sock of the installed service).";

    private static final Path SERVICE = Path.of("/run/weir/control.sock");

    private ControlSocketPlace() {}

    /** Returns where the storage with a data folder listens: the unit of the package names a place elsewhere. */
    public static Path in(Path folder) {
        return in(folder, DataOption.SERVICE, SERVICE);
    }

    static Path in(Path folder, Path serviceFolder, Path service) {
        return place(folder, folder.equals(serviceFolder), service);
    }

    /** Returns the socket for the options {@code --socket} and {@code --data}, which are null if absent. */
    public static Path of(@Nullable Path socket, @Nullable Path data) {
        return of(socket, data, DataOption.folder(null), SERVICE);
    }

    static Path of(@Nullable Path socket, @Nullable Path data, Path usualFolder, Path service) {
        if (socket != null) {
            return socket;
        }
        return data == null ? place(usualFolder, true, service) : place(data, false, service);
    }

    private static Path place(Path folder, boolean mayBeService, Path service) {
        Path place = folder.resolve(DataFolder.CONTROL_SOCKET);
        return mayBeService && !Files.exists(place) && Files.exists(service) ? service : place;
    }
}
