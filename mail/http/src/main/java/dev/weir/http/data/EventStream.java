package dev.weir.http.data;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.ReplyStream;
import dev.weir.storage.server.LastingTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The figures as server-sent events, once a second. All clients get the same bytes, so that many of them cost little
 * more than one; without clients, nothing is computed.
 */
final class EventStream implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventStream.class);

    /** The most clients. Each holds a connection; pages beyond this ask every few seconds instead. */
    static final int MOST = 64;

    private final Supplier<byte[]> figures;
    private final ScheduledExecutorService ticker = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().name("weir-events").daemon().factory());
    private byte[] latest = new byte[0];
    private long number;
    private int clients;
    private boolean closed;

    /**
     * Starts to compute the figures.
     *
     * @param failed a callback for each failure that is a defect
     */
    EventStream(Supplier<byte[]> figures, Runnable failed) {
        this.figures = figures;
        var _ = ticker.scheduleAtFixedRate(new LastingTask("computing the figures for open pages", this::tick, failed),
                1, 1, TimeUnit.SECONDS);
    }

    private void tick() {
        synchronized (this) {
            if (clients == 0) {
                return;
            }
        }
        byte[] event;
        try {
            event = event(figures.get());
        } catch (RuntimeException e) {
            // The storage is stopping, or this is a defect; the next second tries again.
            LOG.debug("no figures", e);
            return;
        }
        synchronized (this) {
            latest = event;
            number++;
            notifyAll();
        }
    }

    private static byte[] event(byte[] json) {
        return ("data: " + new String(json, StandardCharsets.UTF_8) + "\n\n").getBytes(StandardCharsets.UTF_8);
    }

    /** @throws HttpException if there are too many clients */
    HttpReply answer() throws HttpException {
        synchronized (this) {
            if (clients >= MOST || closed) {
                throw new HttpException(503, "Too many pages are open");
            }
        }
        return HttpReply.streaming("text/event-stream", this::send);
    }

    private void send(ReplyStream.Sink sink) throws IOException, InterruptedException {
        synchronized (this) {
            clients++;
        }
        try {
            sink.send(event(figures.get()));
            long seen = 0;
            while (true) {
                byte[] next;
                synchronized (this) {
                    while (number <= seen && !closed) {
                        wait();
                    }
                    if (closed) {
                        return;
                    }
                    seen = number;
                    next = latest;
                }
                sink.send(next);
            }
        } finally {
            synchronized (this) {
                clients--;
            }
        }
    }

    /** Ends all streams. */
    @Override
    public void close() {
        ticker.shutdownNow();
        synchronized (this) {
            closed = true;
            notifyAll();
        }
    }
}
