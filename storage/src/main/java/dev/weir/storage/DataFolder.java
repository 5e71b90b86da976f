package dev.weir.storage;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.jspecify.annotations.Nullable;

/**
 * The folder that a storage has to itself. The lock is the operating system's, on a file that stays: it ends with the
 * process, however that ends, so there is nothing to clean up after a crash.
 */
public final class DataFolder implements AutoCloseable {
    private static final String LOCK = "weir.lock";

    private final Path folder;
    private final FileChannel channel;

    private DataFolder(Path folder, FileChannel channel) {
        this.folder = folder;
        this.channel = channel;
    }

    /**
     * Makes the folder if need be and locks it.
     *
     * @throws StorageException if it cannot be made or written, or another storage has it
     */
    public static DataFolder open(Path folder) throws StorageException {
        Path file = folder.resolve(LOCK);
        FileChannel channel = null;
        try {
            Files.createDirectories(folder);
            channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock = tryLock(channel);
            if (lock == null) {
                channel.close();
                throw new StorageException("another weir is using " + folder.toAbsolutePath()
                        + "; stop it or choose another folder");
            }
            return new DataFolder(folder, channel);
        } catch (IOException e) {
            throw new StorageException("cannot write to the folder " + folder.toAbsolutePath() + " (" + reason(e)
                    + "); check its owner and mode or choose another one", e);
        }
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException heldByThisProcess) {
            return null;
        }
    }

    private static String reason(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "permission denied";
            case FileAlreadyExistsException exists -> "there is a file of that name";
            case FileSystemException system when system.getReason() != null -> system.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }

    /** A file of the folder. */
    public Path file(String name) {
        return folder.resolve(name);
    }

    /**
     * The folder of that name, made if it is not there.
     *
     * @throws StorageException if it cannot be made
     */
    public Path folder(String name) throws StorageException {
        Path inner = folder.resolve(name);
        try {
            Files.createDirectories(inner);
            return inner;
        } catch (IOException e) {
            throw new StorageException("cannot make the folder " + inner.toAbsolutePath() + " (" + reason(e) + ")", e);
        }
    }

    /** Lets go of the lock. */
    @Override
    public void close() throws IOException {
        channel.close();
    }
}
