package dev.weir.storage.server.stream;

import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * The buffered bytes of one direction of a connection. Allocates memory only while there are such bytes. For one
 * thread.
 */
final class Leftover {
    /** The minimum allocation. Most leftovers are part of one frame and may grow a byte at a time. */
    private static final int LEAST = 256;

    /** The memory limit for all leftovers of a thread. */
    static final class Budget {
        private final int limit;
        private int used;

        Budget(int limit) {
            this.limit = limit;
        }

        /** Returns the number of allocated bytes. */
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

    /** Appends the bytes to a buffer with enough room. They stay stored until the next {@link #keep}. */
    void copyTo(ByteBuffer target) {
        if (bytes != null) {
            target.put(bytes, 0, length);
        }
    }

    /**
     * Replaces the stored bytes with the rest of a buffer.
     *
     * @return false if that would exceed the memory limit
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

    /** Frees the stored bytes. */
    void clear() {
        if (bytes != null) {
            budget.used -= bytes.length;
            bytes = null;
        }
        length = 0;
    }
}
