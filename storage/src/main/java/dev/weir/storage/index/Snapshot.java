package dev.weir.storage.index;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

import dev.weir.os.OwnerOnly;

/**
 * A file with the memory of an index, so that the next start need not build the index from the database.
 *
 * <p>It is only a copy. If it is damaged or does not belong to the current database, the storage ignores it and loads
 * the database. So no sync is necessary; a checksum (CRC-32C) detects an incomplete file. The file contains the secret
 * key of the index, so only its owner may read it.
 *
 * <p>The layout is that of the memory: numbers that describe a table, then the unchanged contents of the table. It is
 * valid for one version of the format and one byte order; others are not read.
 */
public final class Snapshot {
    /** The last character is the version. Change it with every change of the memory layout. */
    private static final String MAGIC = "WEIRIDX3";

    /** Bytes of the version and the origin. */
    private static final int HEADER = 5 * Long.BYTES;

    private Snapshot() {}

    /**
     * The state of the database from which an index was built.
     *
     * @param storage random number of the database, drawn at its creation
     * @param revision the last update that is in both
     * @param databaseBytes length of the database file, with no pending changes in memory or other files
     * @param databaseNanos when that file last changed, in nanoseconds since 1970
     */
    public record Origin(long storage, long revision, long databaseBytes, long databaseNanos) {}

    /** Receives the progress of reading. */
    @FunctionalInterface
    public interface Progress {
        /** Reports that {@code bytes} of {@code of} were read. */
        void read(long bytes, long of);
    }

    private static long magic() {
        return ByteBuffer.wrap(MAGIC.getBytes(StandardCharsets.US_ASCII)).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    /** Returns the bytes that {@link #write} writes for an index, except for a few kilobytes. */
    public static long bytes(HashIndex index) {
        return index.bytes();
    }

    /**
     * Writes a snapshot and replaces an existing one. The index must not change during this.
     *
     * @throws IOException if it cannot be written; an existing snapshot then stays
     */
    public static void write(Path file, Origin origin, HashIndex index) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            Files.deleteIfExists(unfinished);
            try (FileChannel channel = OwnerOnly.open(unfinished, StandardOpenOption.CREATE_NEW,
                    StandardOpenOption.WRITE)) {
                SnapshotWriter out = new SnapshotWriter(channel);
                out.number(magic());
                out.number(origin.storage());
                out.number(origin.revision());
                out.number(origin.databaseBytes());
                out.number(origin.databaseNanos());
                index.save(out);
                out.finish();
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (Throwable e) {
            Files.deleteIfExists(unfinished);
            throw e;
        }
    }

    /**
     * Returns the origin of a snapshot.
     *
     * @return empty if there is no snapshot, or one of another format
     * @throws IOException if it cannot be read
     */
    public static Optional<Origin> origin(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return origin(new SnapshotReader(channel, _ -> {}));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private static Optional<Origin> origin(SnapshotReader in) throws IOException {
        return in.remaining() < HEADER || in.number() != magic()
                ? Optional.empty()
                : Optional.of(new Origin(in.number(), in.number(), in.number(), in.number()));
    }

    /**
     * Reads a snapshot.
     *
     * @param progress receives the progress from time to time
     * @return empty if there is no snapshot, or one of another origin or format
     * @throws IOException if it cannot be read or is damaged
     */
    public static Optional<HashIndex> read(Path file, Origin origin, Progress progress) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long size = channel.size();
            SnapshotReader in = new SnapshotReader(channel, bytes -> progress.read(bytes, size));
            if (!origin(in).equals(Optional.of(origin))) {
                return Optional.empty();
            }
            HashIndex index = HashIndex.restore(in);
            in.finish();
            return Optional.of(index);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }
}
