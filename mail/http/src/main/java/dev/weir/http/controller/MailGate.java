package dev.weir.http.controller;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import dev.weir.hash.effort.NotHashedException;
import dev.weir.http.message.HttpException;
import dev.weir.http.server.Deadlines;
import dev.weir.scan.OverloadedException;

/**
 * The entrance to the scanner. It sets the time limit of every request, for the wait and for hashing, and turns
 * failures into replies.
 */
public final class MailGate {
    private final Deadlines waits;
    private final Duration patience;

    /**
     * Creates an entrance.
     *
     * @param waits the watcher of waits
     * @param patience the time limit of a wait, with a precision of half a second
     */
    MailGate(Deadlines waits, Duration patience) {
        this.waits = waits;
        this.patience = patience;
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
        return new MailGate(waits, otherPatience);
    }

    /** Passes a mail to the scanner and waits for the result. */
    public <T> T pass(Supplier<CompletableFuture<T>> work) throws HttpException, InterruptedException {
        try {
            return await(work.get());
        } catch (OverloadedException e) {
            throw new HttpException(503, "Too many messages at a time");
        } catch (NotHashedException e) {
            throw new HttpException(422, "The mail is not hashed: " + e.getMessage());
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
                case CancellationException _ -> throw new HttpException(503, "IO timeout with fuzzy storage");
                case RuntimeException defect -> throw defect;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException(e);
            }
        } finally {
            waits.remove(wait);
        }
    }
}
