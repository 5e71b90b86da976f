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

    /** Creates a budget in bytes. */
    public BodyBudget(long most) {
        this(most, null);
    }

    /** Returns a part of this budget. Bytes count in both, and the part ends at half of this budget. */
    public BodyBudget half() {
        return new BodyBudget(most / 2, this);
    }

    /** Returns a quarter of the maximum heap, at least 64 MiB. */
    public static BodyBudget ofHeap() {
        return new BodyBudget(Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 4));
    }

    /** Returns the number of bytes in use. */
    public long used() {
        return used.get();
    }

    /** Returns the empty share of one request. */
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

    /** The share of one request. Closing it releases its bytes. For one thread. */
    public static final class Share implements AutoCloseable {
        private final BodyBudget budget;
        private long taken;

        private Share(BodyBudget budget) {
            this.budget = budget;
        }

        /**
         * Reserves some more bytes.
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
