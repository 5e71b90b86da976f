package dev.weir.storage.transfer.carry;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.FolderDisk;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of a carry-over that was interrupted.
 *
 * @param fingerprint of the source
 * @param storageId number of the storage
 * @param revision of the source
 * @param position the store has every hash of the source up to here
 */
record CarriedPosition(long fingerprint, long storageId, long revision, long position) {
    private static final Logger LOG = LoggerFactory.getLogger(CarriedPosition.class);
    private static final String NAME = "carry-over";
    private static final String NUMBER = "(-?[0-9]{1,19})";
    private static final Pattern CONTENT = Pattern
            .compile("weir carry-over 1\n" + String.join(" ", NUMBER, NUMBER, NUMBER, NUMBER) + "\n");
    private static final int MAX_SIZE = 128;

    boolean isOf(long source, long storage, long last) {
        return fingerprint == source && storageId == storage && revision == last;
    }

    /** Returns the progress that a folder has, or null. */
    static @Nullable CarriedPosition read(Path folder) {
        Path file = folder.resolve(NAME);
        try {
            if (Files.size(file) <= MAX_SIZE) {
                Matcher content = CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
                if (content.matches()) {
                    return new CarriedPosition(Long.parseLong(content.group(1)), Long.parseLong(content.group(2)),
                            Long.parseLong(content.group(3)), Long.parseLong(content.group(4)));
                }
            }
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | NumberFormatException e) {
            LOG.debug("{} cannot be read", file, e);
        }
        LOG.warn("{} cannot be read; the database is carried over from its beginning", file);
        return null;
    }

    /**
     * Replaces the file of a folder.
     *
     * @throws StorageException if it cannot be written
     */
    void write(Path folder) throws StorageException {
        Path file = folder.resolve(NAME);
        try {
            FolderDisk.replace(file, ("weir carry-over 1\n" + fingerprint + " " + storageId + " " + revision + " "
                    + position + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new StorageException(file + " cannot be written: " + Reason.of(e), e);
        }
    }

    static void delete(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(NAME));
        Files.deleteIfExists(folder.resolve(NAME + ".new"));
    }
}
