package dev.weir.http.control;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.weir.hash.effort.NotHashedException;
import dev.weir.http.message.HttpException;
import dev.weir.http.server.Deadlines;
import dev.weir.scan.OverloadedException;

/**
 * The entrance to the scanner. It admits large mails one at a time, because reading one takes many times its size in
 * memory, sets a time limit, and turns failures into replies.
 */
public final class MailGate {
    private static final int LARGE = 2 << 20;
    private static final int LARGE_AT_ONCE = 2;

    private final Semaphore large;
    private final Deadlines waits;
    private final Duration patience;

    private MailGate(Semaphore large, Deadlines waits, Duration patience) {
        this.large = large;
        this.waits = waits;
        this.patience = patience;
    }

    /**
     * Creates an entrance.
     *
     * @param waits the watcher of waits
     * @param patience the time limit of a wait, with a precision of half a second
     */
    MailGate(Deadlines waits, Duration patience) {
        this(new Semaphore(LARGE_AT_ONCE), waits, patience);
    }

    /** A request that waits for the scanner. If it exceeds its time limit, it ends without a result. */
    private record Wait(CompletableFuture<?> future, long deadline) implements Deadlines.Timed {
        @Override
        public void expire() {
            future.cancel(true);
        }
    }

    /** Returns the same entrance with another time limit. */
    MailGate with(Duration otherPatience) {
        return new MailGate(large, waits, otherPatience);
    }

    /** Passes a mail to the scanner and waits for the result. */
    public <T> T pass(int size, Supplier<CompletableFuture<T>> work) throws HttpException, InterruptedException {
        boolean held = size > LARGE;
        if (held && !large.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new HttpException(503, "Too many large messages at a time");
        }
        try {
            return await(work.get());
        } catch (OverloadedException e) {
            throw new HttpException(503, "Too many messages at a time");
        } catch (NotHashedException e) {
            throw new HttpException(422, "The mail is not hashed: " + e.getMessage());
        } finally {
            if (held) {
                large.release();
            }
        }
    }

    private <T> T await(CompletableFuture<T> future) throws HttpException, InterruptedException {
        Wait wait = new Wait(future, System.nanoTime() + patience.toNanos());
        waits.add(wait);
        try {
            return future.get();
        } catch (CancellationException e) {
            throw new HttpException(503, "IO timeout with fuzzy storage");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case OverloadedException _ -> throw new HttpException(503, "Too many messages at a time");
                case RuntimeException defect -> throw defect;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException(e);
            }
        } finally {
            waits.remove(wait);
        }
    }
}
