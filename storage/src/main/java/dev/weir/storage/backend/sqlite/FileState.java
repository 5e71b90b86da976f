package dev.weir.storage.backend.sqlite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What tells whether anybody has written to a database that nobody has open: its length and the time of its last change.
 *
 * @param bytes the length of the file
 * @param nanos the last change, in nanoseconds since 1970, as fine as the file system has it
 */
public record FileState(long bytes, long nanos) {
    /** Files in which a database may have changes that are not in its own file yet. */
    private static final List<String> PENDING = List.of("-wal", "-journal");

    /**
     * The state of a file.
     *
     * @return nothing if there is no such file, or if some of the database may be in a file beside it
     */
    public static Optional<FileState> of(Path file) throws IOException {
        for (String suffix : PENDING) {
            Path beside = file.resolveSibling(file.getFileName() + suffix);
            if (Files.exists(beside) && Files.size(beside) > 0) {
                return Optional.empty();
            }
        }
        try {
            BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
            return Optional.of(new FileState(now.size(), now.lastModifiedTime().to(TimeUnit.NANOSECONDS)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
