package dev.weir.storage.queue;

import java.util.ArrayList;
import java.util.List;

/** Access to the waiting updates of a queue without a writer. */
public final class Waiting {
    private Waiting() {}

    public static List<QueuedUpdate> in(UpdateQueue queue) {
        List<QueuedUpdate> updates = new ArrayList<>();
        queue.drainTo(updates, Integer.MAX_VALUE);
        return updates;
    }
}
