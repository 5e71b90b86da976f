package dev.weir.storage.index;

import java.util.Arrays;

/** Hands out the numbers 0, 1, 2… and those that were given back first. Only for the writer. */
final class Ids {
    private int[] free = new int[64];
    private int freeCount;
    private int next;

    /** The number that {@link #take} will return. */
    int peek() {
        return freeCount > 0 ? free[freeCount - 1] : next;
    }

    /** Above every number that was ever handed out. */
    int bound() {
        return next;
    }

    int take() {
        return freeCount > 0 ? free[--freeCount] : next++;
    }

    void giveBack(int id) {
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, free.length * 2);
        }
        free[freeCount++] = id;
    }
}
