package dev.weir.storage.transfer.dump;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.weir.model.failure.Reason;
import dev.weir.os.RegularFile;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.Omissions;

/**
 * A dump in a file or a stream. Positions count hashes from 1. A resumed run reads the earlier hashes again and skips
 * them.
 */
public final class DumpSource implements HashSource {
    /** The typical size of a hash with a complete signature and one flag, for estimates from the size of a file. */
    private static final long USUAL_BYTES = 340;

    private static final int BUFFER = 64 * 1024;

    private final String name;
    private final InputStream in;
    private final DumpReader reader;
    private final long estimate;

    private DumpSource(String name, InputStream in, DumpReader reader, long estimate) {
        this.name = name;
        this.in = in;
        this.reader = reader;
        this.estimate = estimate;
    }

    /** Opens a file. */
    public static DumpSource open(Path file) throws StorageException {
        try {
            return open(file.toString(), Channels.newInputStream(RegularFile.openNamed(file)),
                    Files.size(file) / USUAL_BYTES);
        } catch (IOException e) {
            throw new StorageException("cannot open " + file + ": " + Reason.of(e, file), e);
        }
    }

    /**
     * Reads a stream, which is closed with the source.
     *
     * @param name the name for users
     */
    public static DumpSource open(String name, InputStream in) throws StorageException {
        return open(name, in, UNKNOWN);
    }

    private static DumpSource open(String name, InputStream stream, long estimate) throws StorageException {
        InputStream in = new BufferedInputStream(stream, BUFFER);
        try {
            return new DumpSource(name, in, DumpReader.begin(in), estimate);
        } catch (IOException e) {
            closeAfterFailure(in);
            throw failure(name, e);
        }
    }

    private static void closeAfterFailure(InputStream in) {
        try {
            in.close();
        } catch (IOException e) {
            // The failure to open is the one to report.
            return;
        }
    }

    private static StorageException failure(String name, IOException e) {
        return new StorageException(
                "cannot read the dump " + name + ": " + Reason.of(e),
                e);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long remaining(long after) {
        return estimate == UNKNOWN ? UNKNOWN : Math.max(0, estimate - Math.max(0, after));
    }

    @Override
    public long fingerprint() {
        return reader.id();
    }

    @Override
    public void read(long after, Sink sink, Omissions omissions) throws StorageException {
        try {
            long position = 0;
            for (List<StoredHash> block = reader.nextBlock(); block != null; block = reader.nextBlock()) {
                for (StoredHash hash : block) {
                    position++;
                    if (position > after) {
                        sink.accept(position, hash);
                    }
                }
            }
        } catch (IOException e) {
            throw failure(name, e);
        }
    }

    @Override
    public void close() throws StorageException {
        reader.close();
        try {
            in.close();
        } catch (IOException e) {
            throw failure(name, e);
        }
    }
}
