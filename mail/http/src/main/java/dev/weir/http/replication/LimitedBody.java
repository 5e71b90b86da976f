package dev.weir.http.replication;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The body of an answer that may take long, but must go on: a thread closes it when no byte came for some time, or when
 * all of it takes too long. The sender may have lost its power in the middle, of which the connection tells nothing.
 * For one thread.
 */
final class LimitedBody implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LimitedBody.class);
    private static final int PIECE = 1 << 16;

    private final InputStream body;
    private final Duration patience;
    private final long end;
    private final Thread watch;
    private volatile long lastNanos = System.nanoTime();
    private volatile String over = "";

    /**
     * Begins to watch a body, and closes it in the end.
     *
     * @param patience the longest time without a byte
     * @param whole the longest time for all of it
     */
    LimitedBody(InputStream body, Duration patience, Duration whole) {
        this.body = body;
        this.patience = patience;
        this.end = lastNanos + whole.toNanos();
        this.watch = Thread.ofVirtual().name("weir-feed-limit").start(() -> watch(whole));
    }

    private void watch(Duration whole) {
        try {
            while (true) {
                long now = System.nanoTime();
                long silent = lastNanos + patience.toNanos() - now;
                if (silent <= 0 || end - now <= 0) {
                    over = silent <= 0
                            ? "its answer stopped: nothing came for " + patience.toMillis() + " ms"
                            : "its answer took longer than " + whole.toMillis() + " ms";
                    body.close();
                    return;
                }
                Thread.sleep(Duration.ofNanos(Math.min(silent, end - now)));
            }
        } catch (InterruptedException e) {
            // The reader has all that it wanted.
            return;
        } catch (IOException e) {
            LOG.debug("closing a body failed", e);
        }
    }

    /**
     * Returns the bytes up to the end of the body, or as many as wanted.
     *
     * @throws IOException if they do not come in time
     */
    byte[] readNBytes(int most) throws IOException {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] piece = new byte[PIECE];
        try {
            while (read.size() < most) {
                int count = body.read(piece, 0, Math.min(piece.length, most - read.size()));
                if (count < 0) {
                    break;
                }
                lastNanos = System.nanoTime();
                read.write(piece, 0, count);
            }
        } catch (IOException e) {
            throw over.isEmpty() ? e : new IOException(over, e);
        }
        if (!over.isEmpty()) {
            // A closed body may also seem to be at its end.
            throw new IOException(over);
        }
        return read.toByteArray();
    }

    @Override
    public void close() throws IOException {
        watch.interrupt();
        body.close();
    }
}
