package dev.weir.storage.transfer.mirror;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Fingerprint;
import dev.weir.storage.log.FolderDisk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of the data folder that shows whether another program has changed the folder's database since Weir last closed
 * it. It is missing while Weir may be writing to the database.
 */
final class MirrorMark {
    private static final Logger LOG = LoggerFactory.getLogger(MirrorMark.class);
    private static final String HEAD = "weir mirrored 1\n";
    private static final Pattern CONTENT = Pattern.compile(HEAD + "(-?[0-9]{1,19}) (-?[0-9]{1,19})\n");
    private static final int MAX_SIZE = 128;

    /** A state in which no database is. */
    private static final Fingerprint CHANGED = new Fingerprint(-1, -1);

    private final Path file;

    /** The mark of a data folder. */
    MirrorMark(Path folder) {
        this.file = folder.resolve(DataFolder.MIRRORED);
    }

    /** Returns the state in which Weir left the database; empty if that is unknown. A malformed mark fits no state. */
    Optional<Fingerprint> read() {
        try {
            if (Files.size(file) <= MAX_SIZE) {
                Matcher content = CONTENT.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
                if (content.matches()) {
                    return Optional.of(
                            new Fingerprint(Long.parseLong(content.group(1)), Long.parseLong(content.group(2))));
                }
            }
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | NumberFormatException e) {
            LOG.debug("{} cannot be read", file, e);
        }
        return Optional.of(CHANGED);
    }

    /** Records the state in which Weir left the database. */
    void write(Fingerprint left) throws IOException {
        FolderDisk.replace(file,
                (HEAD + left.bytes() + " " + left.nanos() + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Records that another program has changed the database, until {@link #delete}.
     *
     * @throws StorageException if it cannot be written
     */
    void writeChanged() throws StorageException {
        try {
            write(CHANGED);
        } catch (IOException e) {
            throw new StorageException(file + " cannot be written: " + Reason.of(e), e);
        }
    }

    /**
     * Deletes the mark.
     *
     * @throws StorageException if that fails
     */
    void delete() throws StorageException {
        try {
            if (Files.deleteIfExists(file)) {
                FolderSync.force(Objects.requireNonNull(file.toAbsolutePath().getParent()));
            }
        } catch (IOException e) {
            throw new StorageException(file + " cannot be deleted: " + Reason.of(e), e);
        }
    }
}
