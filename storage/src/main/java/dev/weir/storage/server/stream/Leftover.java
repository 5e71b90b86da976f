package dev.weir.storage.server.stream;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/** Bytes of one direction of a connection that have to wait. Nothing is held while there are none. For one thread. */
final class Leftover {
    /** The least that is allocated: most of what waits is a part of one frame, and it may grow a byte at a time. */
    private static final int LEAST = 256;

    /** How much all leftovers of a thread may hold. */
    static final class Budget {
        private final int limit;
        private int used;

        Budget(int limit) {
            this.limit = limit;
        }

        /** Bytes that are held. */
        int used() {
            return used;
        }
    }

    private final Budget budget;
    private byte @Nullable [] bytes;
    private int length;

    Leftover(Budget budget) {
        this.budget = budget;
    }

    boolean isEmpty() {
        return length == 0;
    }

    /** Appends what waits to a buffer that has room for it. It goes on waiting until the next {@link #keep}. */
    void copyTo(ByteBuffer target) {
        if (bytes != null) {
            target.put(bytes, 0, length);
        }
    }

    /**
     * Keeps the rest of a buffer in the place of what was kept before.
     *
     * @return false if there is no memory for it
     */
    boolean keep(ByteBuffer rest) {
        int size = rest.remaining();
        if (size == 0) {
            clear();
            return true;
        }
        byte[] place = bytes;
        if (place == null || place.length < size) {
            place = allocate(Math.max(Math.max(LEAST, size), place == null
                    ? 0
                    : Math.min(2 * place.length,
                            rest.capacity())));
            if (place == null) {
                return false;
            }
            bytes = place;
        }
        rest.get(place, 0, size);
        length = size;
        return true;
    }

    private byte @Nullable [] allocate(int size) {
        int held = bytes == null ? 0 : bytes.length;
        if (budget.used - held + (long) size > budget.limit) {
            return null;
        }
        budget.used += size - held;
        return new byte[size];
    }

    /** Holds nothing any more. */
    void clear() {
        if (bytes != null) {
            budget.used -= bytes.length;
            bytes = null;
        }
        length = 0;
    }
}
