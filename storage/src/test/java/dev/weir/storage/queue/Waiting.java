package dev.weir.storage.queue;

import java.util.ArrayList;
import java.util.List;

/** Takes what waits out of a queue that no writer serves. */
public final class Waiting {
    private Waiting() {}

    public static List<QueuedUpdate> in(UpdateQueue queue) {
        List<QueuedUpdate> updates = new ArrayList<>();
        queue.drainTo(updates, Integer.MAX_VALUE);
        return updates;
    }
}
