package dev.weir.os;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;

/**
 * A way to open files in folders to which other users write: mails of a Maildir, an mbox file, a list, an import.
 * There, a symbolic link could lead to a file of another user, and a named pipe would hold up the reader.
 *
 * <p>On Linux, the file is opened in two steps. The first one (O_PATH, O_NOFOLLOW) neither follows a link nor waits nor
 * reads; what it found is checked; the second step opens the same file by its descriptor. So an exchange between check
 * and opening has no effect. On other systems, the check comes before an opening that follows no link.
 */
public final class RegularFile {
    /** The path, not the content, of a file; never blocks. */
    private static final int O_PATH = 0x20_0000;
    private static final int O_CLOEXEC = 0x8_0000;
    /** Differs between processors. */
    private static final int O_NOFOLLOW = System.getProperty("os.arch").equals("aarch64") ? 0x8000 : 0x2_0000;
    private static final int ENOENT = 2;
    private static final int EACCES = 13;

    private RegularFile() {}

    /** The reasons why a file is not opened. */
    public enum Refusal {
        /** It is a symbolic link, or one of another user leads to it. */
        LINK("link"),
        /** It is a folder. */
        FOLDER("folder"),
        /** It is a pipe, a socket or a device. */
        SPECIAL("special"),
        /** It belongs to a user who has no business in its folder. */
        OWNER("owner");

        private final String word;

        Refusal(String word) {
            this.word = word;
        }

        /** Returns the word for metrics. */
        public String word() {
            return word;
        }
    }

    /** A file that is not opened because of what it is. The message says what. */
    public static final class RefusedException extends FileSystemException {
        private static final long serialVersionUID = 1;

        private final Refusal refusal;

        RefusedException(Path file, Refusal refusal, String reason) {
            super(file.toString(), null, reason);
            this.refusal = refusal;
        }

        /** Returns the kind of the reason. */
        public Refusal refusal() {
            return refusal;
        }
    }

    /**
     * Opens a file that a user named, for reading. It must be a regular file, not a link to one.
     *
     * @throws RefusedException if it is not
     */
    public static FileChannel open(Path file) throws IOException {
        return open(file, false);
    }

    /**
     * Opens a file that a listing of its folder found, for reading. It must be a regular file. If another user can
     * write to the folder, the file must belong to the owner of the folder, to this process or to the system's
     * administrator, or to the group of a folder that lets its group write.
     *
     * @throws RefusedException if it is not such a file
     */
    public static FileChannel openListed(Path file) throws IOException {
        return open(file, true);
    }

    /**
     * Opens a file that an operator or a configuration named, for reading. It must be a regular file. Links are
     * followed, but a link of another user must lead to a file of that user. Otherwise, a user who can write to a
     * folder on the way could make this process read a file that only this process may read.
     *
     * @throws RefusedException if it is not such a file
     */
    public static FileChannel openNamed(Path file) throws IOException {
        NamedPath resolved = NamedPath.of(file);
        return open(file, resolved.real(), (opened, descriptor) -> {
            check(file, opened, false, descriptor);
            if (descriptor) {
                // A folder on the way may have become a link since. A file may have been replaced, which is all right.
                String place = Files.readSymbolicLink(opened).toString();
                if (!place.equals(resolved.real().toString()) && !place.equals(resolved.real() + " (deleted)")) {
                    throw new RefusedException(file, Refusal.LINK, "its path changed while it was opened");
                }
            }
            resolved.requireOwner(file, opened);
        });
    }

    private static FileChannel open(Path file, boolean listed) throws IOException {
        return open(file, file, (opened, descriptor) -> check(file, opened, listed, descriptor));
    }

    /** A check of a file before it is opened for reading. */
    @FunctionalInterface
    private interface Check {
        /** Checks what a path leads to: a descriptor of the file, or the file itself. */
        void run(Path opened, boolean descriptor) throws IOException;
    }

    /**
     * Opens a file.
     *
     * @param file the name for people
     * @param place the path that is opened
     */
    private static FileChannel open(Path file, Path place, Check check) throws IOException {
        if (!LinuxCalls.AVAILABLE) {
            check.run(place, false);
            return FileChannel.open(place, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
        }
        int descriptor = descriptor(place);
        try {
            Path opened = Path.of("/proc/self/fd/" + descriptor);
            check.run(opened, true);
            return FileChannel.open(opened, StandardOpenOption.READ);
        } catch (AccessDeniedException e) {
            throw named(e, file);
        } finally {
            close(descriptor);
        }
    }

    private static AccessDeniedException named(AccessDeniedException cause, Path file) {
        AccessDeniedException named = new AccessDeniedException(file.toString());
        named.initCause(cause);
        return named;
    }

    /** Checks what a path leads to. A descriptor is a link to the file that it opened, even if that is a link. */
    private static void check(Path file, Path opened, boolean listed, boolean descriptor) throws IOException {
        LinkOption[] options = descriptor ? new LinkOption[0] : new LinkOption[]{LinkOption.NOFOLLOW_LINKS};
        BasicFileAttributes found = Files.readAttributes(opened, BasicFileAttributes.class, options);
        if (found.isSymbolicLink()) {
            throw new RefusedException(file, Refusal.LINK, "it is a symbolic link");
        }
        if (found.isDirectory()) {
            throw new RefusedException(file, Refusal.FOLDER, "it is a folder");
        }
        if (!found.isRegularFile()) {
            throw new RefusedException(file, Refusal.SPECIAL,
                    "it is not a regular file, but a pipe, a socket or a device");
        }
        if (listed && !isAllowed(file, opened, options)) {
            throw new RefusedException(file, Refusal.OWNER, "it belongs to another user than its folder");
        }
    }

    private static boolean isAllowed(Path file, Path opened, LinkOption... options) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return true;
        }
        PosixFileAttributes own = Files.readAttributes(opened, PosixFileAttributes.class, options);
        PosixFileAttributes around = Files.readAttributes(folder, PosixFileAttributes.class);
        Set<PosixFilePermission> rights = around.permissions();
        boolean isPrivate = ProcessUser.owns(folder) && !rights.contains(PosixFilePermission.GROUP_WRITE)
                && !rights.contains(PosixFilePermission.OTHERS_WRITE);
        return isPrivate || own.owner().equals(around.owner()) || ProcessUser.owns(opened, options)
                || (rights.contains(PosixFilePermission.GROUP_WRITE) && own.group().equals(around.group()));
    }

    @SuppressWarnings("restricted")
    private static int descriptor(Path file) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = LinuxCalls.newState(arena);
            int descriptor;
            do {
                descriptor = (int) LinuxCalls.OPEN.invokeExact(state, arena.allocateFrom(file.toString()),
                        O_PATH | O_NOFOLLOW | O_CLOEXEC);
            } while (descriptor < 0 && LinuxCalls.error(state) == LinuxCalls.EINTR);
            if (descriptor >= 0) {
                return descriptor;
            }
            throw switch (LinuxCalls.error(state)) {
                case ENOENT -> new NoSuchFileException(file.toString());
                case EACCES -> new AccessDeniedException(file.toString());
                default -> new FileSystemException(file.toString(), null,
                        LinuxCalls.describe(LinuxCalls.error(state)));
            };
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
    }

    private static void close(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            int _ = (int) LinuxCalls.CLOSE.invokeExact(LinuxCalls.newState(arena), descriptor);
        } catch (Throwable e) {
            throw LinuxCalls.impossible(e);
        }
    }
}
