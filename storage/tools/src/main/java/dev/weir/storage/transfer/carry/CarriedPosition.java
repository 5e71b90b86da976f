package dev.weir.storage.transfer.carry;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;
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
    private static final Pattern CONTENT = Pattern.compile(String.join(" ", NUMBER, NUMBER, NUMBER) + "\n");

    /** The format of the file. Version 1 had no checksum, and is not used. */
    private static final StateFormat FORMAT = new StateFormat(NAME, 2, 128);

    boolean isOf(long source, long storage, long last) {
        return fingerprint == source && storageId == storage && revision == last;
    }

    /** Returns the progress that a folder has, or null if it has none that can be trusted. */
    static @Nullable CarriedPosition read(Path folder, long storageId) throws StorageException {
        StateFiles files = new StateFiles(folder, InstantSource.system());
        Optional<byte[]> content = files.peek(FORMAT, storageId);
        Matcher numbers = CONTENT.matcher(new String(content.orElse(new byte[0]), StandardCharsets.US_ASCII));
        try {
            if (numbers.matches()) {
                return new CarriedPosition(Long.parseLong(numbers.group(1)), storageId,
                        Long.parseLong(numbers.group(2)), Long.parseLong(numbers.group(3)));
            }
        } catch (NumberFormatException e) {
            LOG.debug("{} has no numbers", files.place(FORMAT), e);
        }
        if (Files.exists(files.place(FORMAT))) {
            LOG.warn("{} cannot be used; the database is carried over from its beginning", files.place(FORMAT));
        }
        return null;
    }

    /**
     * Replaces the file of a folder.
     *
     * @throws StorageException if it cannot be written
     */
    void write(Path folder) throws StorageException {
        StateFiles files = new StateFiles(folder, InstantSource.system());
        try {
            files.write(FORMAT, storageId,
                    (fingerprint + " " + revision + " " + position + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new StorageException(files.place(FORMAT) + " cannot be written: " + Reason.of(e), e);
        }
    }

    static void delete(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(NAME));
        Files.deleteIfExists(folder.resolve(NAME + ".new"));
    }
}
