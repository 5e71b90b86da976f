package dev.weir.storage.queue;

import org.jspecify.annotations.Nullable;

/**
 * The part of a node in replication: a leader takes updates of clients, a follower takes those of its leader, and a
 * fenced node takes none (docs/operate/nodes.md#fencing). Any thread may ask; the writer changes it.
 */
public final class Role {
    /** A part. */
    public enum Part {
        /** Takes updates of clients. A node without replication leads itself. */
        LEADER,
        /** Takes updates of its leader, and none of clients. */
        FOLLOWER,
        /** Takes no updates, because another node leads under a higher epoch. */
        FENCED
    }

    /** Sends updates of clients to the leader. */
    @FunctionalInterface
    public interface Forwarder {
        /** Takes an update; its outcome will be that at the leader. Returns false if too many wait. Never blocks. */
        boolean offer(QueuedUpdate update);
    }

    private volatile Part part;
    private volatile @Nullable Forwarder forwarder;

    /** Creates a role. */
    public Role(Part part) {
        this.part = part;
    }

    /** Returns the part. */
    public Part part() {
        return part;
    }

    /** Returns whether the node takes updates of clients. */
    public boolean leads() {
        return part == Part.LEADER;
    }

    /** Changes the part. For the writer, and before it runs. */
    void play(Part next) {
        part = next;
    }

    /** Sends updates of clients to the leader from now on, while this node follows; null refuses them. */
    public void forwardTo(@Nullable Forwarder next) {
        forwarder = next;
    }

    /** Passes an update of a client to the leader. Returns false if this node does not, or if too many wait. */
    public boolean forward(QueuedUpdate update) {
        Forwarder to = forwarder;
        return part == Part.FOLLOWER && to != null && to.offer(update);
    }
}
