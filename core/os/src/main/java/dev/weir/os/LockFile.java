package dev.weir.os;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Optional;

/**
 * A lock that one process holds until it ends, even by a crash. It is an operating-system lock on a permanent file.
 *
 * <p>Only the user of the process may access the file, because a program with read access could take a shared lock on
 * it. If another program holds such a lock, for example on a file of an earlier version, the file is replaced.
 */
public final class LockFile implements AutoCloseable {
    private static final int ATTEMPTS = 100;

    private final FileChannel channel;

    private LockFile(FileChannel channel) {
        this.channel = channel;
    }

    /** An open file, with a key that distinguishes it from another file of the same name. */
    private record Opened(FileChannel channel, Object key) implements AutoCloseable {
        /** Opens a file, creating it if it is missing; empty if another program replaced it meanwhile. */
        static Optional<Opened> at(Path file) throws IOException {
            OwnerOnly.create(file);
            Optional<Object> before = LockFile.key(file);
            FileChannel channel;
            try {
                channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
            if (before.isEmpty() || !before.equals(LockFile.key(file))) {
                channel.close();
                return Optional.empty();
            }
            return Optional.of(new Opened(channel, before.get()));
        }

        boolean isStillAt(Path file) throws IOException {
            return Optional.of(key).equals(LockFile.key(file));
        }

        /** Tries to lock the file, exclusively or shared. */
        boolean lock(boolean shared) throws IOException {
            try {
                return channel.tryLock(0, Long.MAX_VALUE, shared) != null;
            } catch (OverlappingFileLockException heldByThisProcess) {
                return false;
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }

    /**
     * Takes the lock.
     *
     * @param file created if it is missing
     * @return empty if another holder has the lock, in this process or in another one
     * @throws IOException if the file cannot be created or written, or other programs replace it repeatedly
     */
    public static Optional<LockFile> take(Path file) throws IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            Optional<Opened> found = Opened.at(file);
            if (found.isEmpty()) {
                continue;
            }
            Opened opened = found.get();
            boolean kept = false;
            try {
                if (opened.lock(false)) {
                    kept = opened.isStillAt(file);
                    if (kept) {
                        return Optional.of(new LockFile(opened.channel()));
                    }
                } else if (!opened.lock(true)) {
                    return Optional.empty();
                } else {
                    // Only readers hold it, so no other process has this lock. The shared lock keeps others from taking
                    // the file while it is replaced.
                    Optional<LockFile> replaced = replace(file, opened);
                    if (replaced.isPresent()) {
                        return replaced;
                    }
                }
            } finally {
                if (!kept) {
                    opened.close();
                }
            }
        }
        throw new IOException(file + " is locked by another program, or is replaced again and again");
    }

    /** Replaces a file that only readers have locked by a new, locked one; empty if the file changed meanwhile. */
    private static Optional<LockFile> replace(Path file, Opened old) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Optional<Opened> found = Opened.at(fresh);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Opened opened = found.get();
        boolean kept = false;
        try {
            // Only the holder of this lock renames the file, and the old one is still in its place.
            if (opened.lock(false) && opened.isStillAt(fresh) && old.isStillAt(file)) {
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                kept = true;
                return Optional.of(new LockFile(opened.channel()));
            }
            return Optional.empty();
        } finally {
            if (!kept) {
                opened.close();
            }
        }
    }

    private static Optional<Object> key(Path file) throws IOException {
        try {
            BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
            // A system without such keys does not replace open files, so the file is the same.
            return Optional.of(Objects.requireNonNullElse(attributes.fileKey(), file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Releases the lock. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
