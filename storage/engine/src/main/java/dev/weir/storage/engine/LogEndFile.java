package dev.weir.storage.engine;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogEnd;
import dev.weir.storage.log.LogEndNote;
import dev.weir.storage.state.OverwrittenFile;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file beside the folder of the update log that says how far the log reached. A start compares the log with it, so
 * that it notices a lost log, and a log that is older than the store. It has four numbers of 8 bytes: those of a
 * {@link LogEnd}, with 0 for an unknown checksum. Earlier versions wrote the first two or three.
 */
public final class LogEndFile implements LogEndNote {
    private static final Logger LOG = LoggerFactory.getLogger(LogEndFile.class);

    private static final int LEAST_BYTES = 2 * Long.BYTES;
    private static final int BYTES = 4 * Long.BYTES;
    private static final StateFormat FORMAT = new StateFormat(DataFolder.LOG_END, 1, BYTES);

    private final StateFiles files;
    private final long storageId;
    private final boolean reading;

    /** The file that this object has written, for {@link #update}. */
    private volatile @Nullable OverwrittenFile written;

    private LogEndFile(StateFiles files, long storageId, boolean reading) {
        this.files = files;
        this.storageId = storageId;
        this.reading = reading;
    }

    /** The file of a storage that is locked by this process. A damaged file is kept aside. */
    static LogEndFile of(StateFiles files, long storageId) {
        return new LogEndFile(files, storageId, false);
    }

    /** The file of a storage that is locked by this process. A damaged file is kept aside. */
    public static LogEndFile of(Path data, long storageId) {
        return of(new StateFiles(data, InstantSource.system()), storageId);
    }

    /** The file of a storage that may be running, for a reader that changes nothing. */
    public static LogEndFile readOnly(Path data, long storageId) {
        return new LogEndFile(new StateFiles(data, InstantSource.system()), storageId, true);
    }

    /** Returns whether a storage has run in a folder, although it may have neither a store nor a log now. */
    public static boolean exists(Path data) {
        return Files.exists(data.resolve(DataFolder.LOG_END));
    }

    /**
     * Notes that a store was made from another place than a log, so that it needs none. Another note of the same
     * storage stays: its log is there, or is missed.
     *
     * @param revision the last update that the hashes have
     */
    public static void noteWithoutLog(Path data, long storageId, long revision) throws StorageException {
        LogEndFile file = of(data, storageId);
        try {
            if (file.read().isEmpty()) {
                file.write(LogEnd.closed(revision));
            }
        } catch (IOException e) {
            throw new StorageException("the end of the update log cannot be noted in " + data + ": " + Reason.of(e),
                    e);
        } finally {
            file.close();
        }
    }

    @Override
    public Optional<LogEnd> read() throws StorageException {
        return (reading ? files.peekChanging(FORMAT, storageId) : files.read(FORMAT, storageId))
                .filter(content -> content.length >= LEAST_BYTES && content.length % Long.BYTES == 0)
                .map(ByteBuffer::wrap)
                .map(content -> new LogEnd(content.getLong(), content.getLong(), next(content),
                        checksum(next(content))));
    }

    private static long next(ByteBuffer content) {
        return content.hasRemaining() ? content.getLong() : 0;
    }

    private static OptionalLong checksum(long number) {
        return number == 0 ? OptionalLong.empty() : OptionalLong.of(number);
    }

    @Override
    public void write(LogEnd end) throws IOException {
        close();
        written = files.writeOpen(FORMAT, storageId, content(end));
    }

    @Override
    public void update(LogEnd end) throws IOException {
        file().write(content(end));
    }

    @Override
    public void force() throws IOException {
        OverwrittenFile file = file();
        if (!Files.exists(files.place(FORMAT))) {
            throw new NoSuchFileException(files.place(FORMAT).toString());
        }
        file.force();
    }

    private OverwrittenFile file() throws IOException {
        OverwrittenFile file = written;
        if (file == null) {
            throw new IOException(files.place(FORMAT) + " is not open");
        }
        return file;
    }

    private static byte[] content(LogEnd end) {
        return ByteBuffer.allocate(BYTES).putLong(end.least()).putLong(end.most()).putLong(end.run())
                .putLong(end.checksum().orElse(0)).array();
    }

    @Override
    public void close() {
        OverwrittenFile file = written;
        written = null;
        if (file != null) {
            try {
                file.close();
            } catch (IOException e) {
                LOG.debug("closing {} failed", files.place(FORMAT), e);
            }
        }
    }
}
