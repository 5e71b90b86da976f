package dev.weir.storage.history;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

import dev.weir.os.OwnerOnly;

/**
 * The file of the history: for each span a ring of places of equal size. A place has the number of its step since 1970
 * (8 bytes), the figures (8 bytes each) and a CRC-32C of both (8 bytes), in little endian. A place that is torn, old or
 * of another version counts as empty, so the file needs neither a sync nor a repair. Thread-safe; an interrupt, which
 * closes a channel, does not end the history.
 */
final class HistoryFile implements Closeable {
    /** Room for figures of later versions. */
    private static final int FIGURES = 24;

    private static final int PLACE = (1 + FIGURES + 1) * Long.BYTES;

    private final Path file;
    private FileChannel channel;

    private HistoryFile(Path file) throws IOException {
        this.file = file;
        this.channel = channel(file);
    }

    private static FileChannel channel(Path file) throws IOException {
        return OwnerOnly.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** @throws IOException if the file cannot be opened for writing */
    static HistoryFile open(Path file) throws IOException {
        return new HistoryFile(file);
    }

    /** A use of the channel that can be done twice. */
    @FunctionalInterface
    private interface Use {
        void of(FileChannel open) throws IOException;
    }

    /** Uses the channel, and opens it again if an interrupt closes it. The thread stays interrupted. */
    private void use(Use use) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    use.of(channel);
                    return;
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                    channel = channel(file);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Writes the figures of one step. */
    synchronized void write(Span span, long step, long[] figures) throws IOException {
        ByteBuffer place = ByteBuffer.allocate(PLACE).order(ByteOrder.LITTLE_ENDIAN);
        place.putLong(step);
        for (long figure : figures) {
            place.putLong(figure);
        }
        place.putLong(PLACE - Long.BYTES, sum(place));
        long start = position(span, step);
        use(open -> {
            place.position(0);
            while (place.hasRemaining()) {
                open.write(place, start + place.position());
            }
        });
    }

    /**
     * Reads a span.
     *
     * @param last the number of the last step
     * @return the figures of each step, the last one at the end; null for steps without figures
     */
    synchronized long[][] read(Span span, long last) throws IOException {
        ByteBuffer ring = ByteBuffer.allocate(span.places() * PLACE).order(ByteOrder.LITTLE_ENDIAN);
        long start = position(span, 0);
        use(open -> {
            ring.clear();
            while (ring.hasRemaining()) {
                if (open.read(ring, start + ring.position()) < 0) {
                    break;
                }
            }
        });
        int length = ring.position();
        long[][] steps = new long[span.places()][];
        for (int i = 0; i < span.places(); i++) {
            long step = last - span.places() + 1 + i;
            int at = (int) Math.floorMod(step, (long) span.places()) * PLACE;
            if (at + PLACE <= length) {
                steps[i] = decode(ring.slice(at, PLACE).order(ByteOrder.LITTLE_ENDIAN), step);
            }
        }
        return steps;
    }

    @SuppressWarnings("NullAway")
    private static long[] decode(ByteBuffer place, long step) {
        if (place.getLong(0) != step || place.getLong(PLACE - Long.BYTES) != sum(place)) {
            return null;
        }
        long[] figures = new long[Series.values().length];
        for (int i = 0; i < figures.length; i++) {
            figures[i] = place.getLong((1 + i) * Long.BYTES);
        }
        return figures;
    }

    private static long sum(ByteBuffer place) {
        CRC32C sum = new CRC32C();
        sum.update(place.duplicate().position(0).limit(PLACE - Long.BYTES));
        return sum.getValue();
    }

    private static long position(Span span, long step) {
        long at = 0;
        for (Span before : Span.values()) {
            if (before == span) {
                break;
            }
            at += (long) before.places() * PLACE;
        }
        return at + Math.floorMod(step, (long) span.places()) * PLACE;
    }

    @Override
    public synchronized void close() throws IOException {
        channel.close();
    }
}
