package dev.weir.storage.transfer.mirror;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.FileState;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;

/**
 * A file of the data folder that shows whether another program has changed the folder's database since Weir last closed
 * it. It is missing while Weir may be writing to the database. Without it, the versions that Rspamd counts in the
 * database tell whether Rspamd changed it, as after a crash.
 */
final class MirrorMark {
    /** The format of the file: size and time of the database. Version 1 had no checksum. */
    static final StateFormat FORMAT = new StateFormat(DataFolder.MIRRORED, 2, 64);

    private static final Pattern CONTENT = Pattern.compile("(-?[0-9]{1,19}) (-?[0-9]{1,19})\n");
    private static final String EARLIER_HEAD = "weir mirrored 1\n";

    /** A state in which no database is. */
    private static final FileState CHANGED = new FileState(-1, -1);

    private final StateFiles files;

    /** The mark of a data folder. */
    MirrorMark(StateFiles files) {
        this.files = files;
    }

    /**
     * Returns the state in which Weir left the database of a storage; empty if that is unknown. Keeps a damaged mark
     * aside.
     */
    Optional<FileState> read(long storage) throws StorageException {
        Optional<FileState> earlier = earlier();
        if (earlier.isPresent()) {
            return earlier;
        }
        Optional<byte[]> content = files.read(FORMAT, storage);
        Optional<FileState> left = content.flatMap(MirrorMark::parse);
        if (content.isPresent() && left.isEmpty()) {
            files.setAside(FORMAT, "its content is not the state of a database");
        }
        return left;
    }

    /** Does the same for a storage that may be running. Changes nothing. */
    Optional<FileState> peek(long storage) throws StorageException {
        Optional<FileState> earlier = earlier();
        return earlier.isPresent() ? earlier : files.peek(FORMAT, storage).flatMap(MirrorMark::parse);
    }

    private Optional<FileState> earlier() throws StorageException {
        return files.file(FORMAT, 0).readEarlier().filter(bytes -> text(bytes).startsWith(EARLIER_HEAD))
                .flatMap(bytes -> parse(text(bytes).substring(EARLIER_HEAD.length())
                        .getBytes(StandardCharsets.ISO_8859_1)));
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static Optional<FileState> parse(byte[] bytes) {
        Matcher content = CONTENT.matcher(text(bytes));
        try {
            return content.matches()
                    ? Optional.of(new FileState(Long.parseLong(content.group(1)), Long.parseLong(content.group(2))))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Records the state in which Weir left the database. */
    void write(long storage, FileState left) throws IOException {
        files.write(FORMAT, storage, (left.bytes() + " " + left.nanos() + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Records that another program has changed the database, until {@link #delete}.
     *
     * @throws StorageException if it cannot be written
     */
    void writeChanged(long storage) throws StorageException {
        try {
            write(storage, CHANGED);
        } catch (IOException e) {
            throw new StorageException(files.place(FORMAT) + " cannot be written: " + Reason.of(e), e);
        }
    }

    /**
     * Deletes the mark.
     *
     * @throws StorageException if that fails
     */
    void delete() throws StorageException {
        try {
            files.delete(FORMAT);
        } catch (IOException e) {
            throw new StorageException(files.place(FORMAT) + " cannot be deleted: " + Reason.of(e), e);
        }
    }
}
