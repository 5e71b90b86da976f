package dev.weir.net;

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
 * A lock that one process has and that ends with it, however that ends: the operating system's lock on a file that
 * stays.
 *
 * <p>The file is for its user alone, since read access to a file permits a shared lock on it. Where a program that is
 * not Weir does that, on a file of an earlier version for example, the file is replaced by another one.
 */
public final class LockFile implements AutoCloseable {
    private static final int ATTEMPTS = 100;

    private final FileChannel channel;

    private LockFile(FileChannel channel) {
        this.channel = channel;
    }

    /** A file that is open, and what tells it from another one of the same name. */
    private record Opened(FileChannel channel, Object key) implements AutoCloseable {
        /** Opens a file, made if it is not there; nothing if it was exchanged meanwhile. */
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

        /** Tries to lock the file: alone, or together with others that read. */
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
     * @param file made if it is not there
     * @return nothing if another holder has it, in this process or in another one
     * @throws IOException if the file cannot be made or written, or others exchange it again and again
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
                    // Readers have it, and a holder of this lock is not a reader. The shared lock keeps others from
                    // taking
                    // this file for themselves while it is replaced.
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
        throw new IOException(file + " is held by another program, or exchanged all the time");
    }

    /** Puts another file, locked, in the place of one that is locked by readers only; nothing if that has changed. */
    private static Optional<LockFile> replace(Path file, Opened old) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Optional<Opened> found = Opened.at(fresh);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Opened opened = found.get();
        boolean kept = false;
        try {
            // Who has this lock is the only one to rename the file, and the old one is still where it was.
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
            // Where the system has no such key, the file counts as the same: there, files that are open stay in place.
            return Optional.of(Objects.requireNonNullElse(attributes.fileKey(), file));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Gives the lock back. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
