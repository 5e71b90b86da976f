package dev.weir.os;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Files and folders that only the user of the process may access (modes 0600 and 0700), from their creation on and
 * whatever the umask is. On systems without such modes, files get the default of the system.
 */
public final class OwnerOnly {
    private static final boolean POSIX = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");

    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);

    private OwnerOnly() {}

    private static FileAttribute<?>[] mode(String permissions) {
        return POSIX
                ? new FileAttribute<?>[]{
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))}
                : new FileAttribute<?>[0];
    }

    /** Opens a file as {@link FileChannel#open} does. A file that this creates is accessible to this user alone. */
    public static FileChannel open(Path file, OpenOption... options) throws IOException {
        return FileChannel.open(file, Set.of(options), mode("rw-------"));
    }

    /** Creates an empty file if the name is free. */
    public static void create(Path file) throws IOException {
        if (!Files.exists(file)) {
            try {
                Files.createFile(file, mode("rw-------"));
            } catch (FileAlreadyExistsException e) {
                // Another program created it first.
                return;
            }
        }
    }

    /** Creates a folder and its missing parents; an existing one keeps its mode. */
    public static void createFolders(Path folder) throws IOException {
        Files.createDirectories(folder, mode("rwx------"));
    }

    /**
     * Removes the permissions of other users from an existing file or folder. The permissions of its group stay,
     * because the operator may have granted them on purpose.
     *
     * @throws IOException if the file belongs to another user, or its mode cannot be changed
     */
    public static void tighten(Path file) throws IOException {
        Set<PosixFilePermission> mode = permissions(file);
        if (mode.removeAll(OTHERS)) {
            Files.setPosixFilePermissions(file, mode);
        }
    }

    /** Returns whether every user may read a file; false for a missing file. */
    public static boolean othersMayRead(Path file) throws IOException {
        return permissions(file).contains(PosixFilePermission.OTHERS_READ);
    }

    /**
     * Returns whether every user may write to a file, or create and remove files in a folder; false if it is missing.
     */
    public static boolean othersMayWrite(Path folder) throws IOException {
        return permissions(folder).contains(PosixFilePermission.OTHERS_WRITE);
    }

    private static Set<PosixFilePermission> permissions(Path file) throws IOException {
        if (!POSIX) {
            return EnumSet.noneOf(PosixFilePermission.class);
        }
        try {
            Set<PosixFilePermission> mode = EnumSet.noneOf(PosixFilePermission.class);
            mode.addAll(Files.getPosixFilePermissions(file));
            return mode;
        } catch (NoSuchFileException e) {
            return EnumSet.noneOf(PosixFilePermission.class);
        }
    }
}
