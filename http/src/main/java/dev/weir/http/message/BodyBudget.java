package dev.weir.http.message;

import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * The memory that all request bodies may occupy together while they are received, unpacked and answered. A thousand
 * connections that each send the largest mail cost no more than this. Thread-safe.
 */
public final class BodyBudget {
    private final long most;
    private final @Nullable BodyBudget whole;
    private final AtomicLong used = new AtomicLong();

    private BodyBudget(long most, @Nullable BodyBudget whole) {
        this.most = most;
        this.whole = whole;
    }

    /** A budget in bytes. */
    public BodyBudget(long most) {
        this(most, null);
    }

    /** Returns a part of this one: what is taken from it is taken from both, and it ends at half of this one. */
    public BodyBudget half() {
        return new BodyBudget(most / 2, this);
    }

    /** Returns a quarter of what the heap may become, at least 64 MiB. */
    public static BodyBudget ofHeap() {
        return new BodyBudget(Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 4));
    }

    /** Bytes that are taken at the moment. */
    public long used() {
        return used.get();
    }

    /** Returns the share of one request; nothing is taken yet. */
    public Share share() {
        return new Share(this);
    }

    private boolean take(long bytes) {
        if (used.addAndGet(bytes) <= most && (whole == null || whole.take(bytes))) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    private void giveBack(long bytes) {
        used.addAndGet(-bytes);
        if (whole != null) {
            whole.giveBack(bytes);
        }
    }

    /** What one request has taken; closing gives it back. For one thread. */
    public static final class Share implements AutoCloseable {
        private final BodyBudget budget;
        private long taken;

        private Share(BodyBudget budget) {
            this.budget = budget;
        }

        /**
         * Takes some more bytes.
         *
         * @throws HttpException 503 if all bodies together would be too large
         */
        public void take(long bytes) throws HttpException {
            if (!budget.take(bytes)) {
                throw new HttpException(503, "Too many messages at a time");
            }
            taken += bytes;
        }

        @Override
        public void close() {
            budget.giveBack(taken);
            taken = 0;
        }
    }
}
