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

import dev.weir.net.OwnerOnly;

/**
 * The memory of an index as a file, so that the next start need not build it from the database.
 *
 * <p>It is a copy and nothing more: whoever finds that it does not belong to the database as it is now, or that it is
 * damaged, leaves it aside and loads the database. So it is not forced to the disk; a checksum (CRC-32C) tells what did
 * not get there. It holds the key of the index's hashes and is for its owner only.
 *
 * <p>The layout is that of the memory: numbers that describe a table, then its records as they are. It holds for one
 * version of the format and one byte order; others are not read.
 */
public final class Snapshot {
    /** The last character is the version: to be changed with anything that an index keeps in memory. */
    private static final String MAGIC = "WEIRIDX2";

    /** Bytes of the version and the origin. */
    private static final int HEADER = 5 * Long.BYTES;

    private Snapshot() {}

    /**
     * What an index was built from.
     *
     * @param storage the number that the database drew when it was made
     * @param revision the last update that is in both
     * @param databaseBytes length of the database's file, of which nobody had a part in memory or another file
     * @param databaseNanos when that file last changed, in nanoseconds since 1970
     */
    public record Origin(long storage, long revision, long databaseBytes, long databaseNanos) {}

    /** How far reading has come. */
    @FunctionalInterface
    public interface Progress {
        /** So many bytes of so many were read. */
        void read(long bytes, long of);
    }

    private static long magic() {
        return ByteBuffer.wrap(MAGIC.getBytes(StandardCharsets.US_ASCII)).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    /** Bytes that {@link #write} needs for an index, at most a few kilobytes more. */
    public static long bytes(HashIndex index) {
        return index.bytes();
    }

    /**
     * Writes a snapshot in the place of one that is there. Nothing may change the index meanwhile.
     *
     * @throws IOException if it cannot be written; no snapshot is there then, or the one from before
     */
    public static void write(Path file, Origin origin, HashIndex index) throws IOException {
        Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
        boolean done = false;
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
            done = true;
        } finally {
            if (!done) {
                Files.deleteIfExists(unfinished);
            }
        }
    }

    /**
     * What the snapshot was taken from.
     *
     * @return nothing if there is none, or one of another format
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
     * @param progress is told now and then how many bytes were read, and of how many
     * @return nothing if there is none, or one of another origin or format
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
