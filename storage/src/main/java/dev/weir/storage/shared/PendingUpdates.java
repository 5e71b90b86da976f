package dev.weir.storage.shared;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * The updates of this node that no state of Redis has yet. The index has them, so each state from Redis gets
 * them on top. For the thread of the writer.
 *
 * <p>Beyond a number of updates, only the digests are remembered. The states of these are not used until Redis has
 * the last update of the digest: the index is late then, and not wrong.
 */
final class PendingUpdates {
    /** With about 150 bytes each. */
    private static final int MAX_KEPT = 500_000;

    private final Map<Digest, Waiting> digests = new HashMap<>();
    private final List<ArrayDeque<Mark>> marks = new ArrayList<>();
    private final KeyLayout layout;
    private final int maxKept;
    private int kept;

    /** The updates of a digest. */
    private static final class Waiting {
        final ArrayDeque<Mark> marks = new ArrayDeque<>();
        boolean unknown;
    }

    /** One update; {@code update} is null if it is not remembered. */
    private static final class Mark {
        final long revision;
        final @Nullable Update update;

        /** Whether the update has a signature. */
        final boolean signed;
        boolean arrived;

        Mark(long revision, @Nullable Update update, boolean signed) {
            this.revision = revision;
            this.update = update;
            this.signed = signed;
        }
    }

    PendingUpdates(KeyLayout layout) {
        this(layout, MAX_KEPT);
    }

    /** Remembers another number of updates, for tests. */
    PendingUpdates(KeyLayout layout, int maxKept) {
        this.layout = layout;
        this.maxKept = maxKept;
        clear();
    }

    private void clear() {
        digests.clear();
        kept = 0;
        marks.clear();
        for (int i = 0; i < layout.shards(); i++) {
            marks.add(new ArrayDeque<>());
        }
    }

    /**
     * Replaces the updates of a shard up to a revision. Later ones stay.
     *
     * @param missing the updates up to the revision that Redis lacks, in order
     */
    void replace(int shard, long until, Map<Long, Update> missing) {
        List<Later> later = new ArrayList<>();
        digests.forEach((digest, waiting) -> {
            if (layout.shard(digest) == shard) {
                for (Mark mark : waiting.marks) {
                    if (mark.revision > until) {
                        later.add(new Later(mark.revision, digest, mark.update, mark.signed));
                    }
                }
            }
        });
        later.sort(Comparator.comparingLong(Later::revision));
        clear(shard);
        missing.forEach(this::add);
        for (Later one : later) {
            if (one.update() == null) {
                digests.computeIfAbsent(one.digest(), _ -> new Waiting()).unknown = true;
                // Its kind does not matter, because it is not remembered.
                add(one.revision(), new Update.DeleteAll(one.digest()), one.signed());
            } else {
                add(one.revision(), one.update(), one.signed());
            }
        }
    }

    private record Later(long revision, Digest digest, @Nullable Update update, boolean signed) {}

    /** Forgets the updates of a shard. */
    private void clear(int shard) {
        digests.entrySet().removeIf(entry -> {
            boolean here = layout.shard(entry.getKey()) == shard;
            if (here) {
                kept -= (int) entry.getValue().marks.stream().filter(mark -> mark.update != null).count();
            }
            return here;
        });
        marks.set(shard, new ArrayDeque<>());
    }

    /** Remembers an update of this node. */
    void add(long revision, Update update) {
        add(revision, update, update instanceof Update.Write write && write.signature() != null);
    }

    private void add(long revision, Update update, boolean signed) {
        Waiting waiting = digests.computeIfAbsent(update.digest(), _ -> new Waiting());
        boolean keep = kept < maxKept && !waiting.unknown;
        if (keep) {
            kept++;
        } else {
            waiting.unknown = true;
        }
        Mark mark = new Mark(revision, keep ? withoutSignature(update) : null, signed);
        waiting.marks.add(mark);
        marks.get(layout.shard(update.digest())).add(mark);
    }

    private static Update withoutSignature(Update update) {
        return update instanceof Update.Write write
                ? new Update.Write(write.digest(), write.flag(), write.weight(), write.time(), null)
                : update;
    }

    /** Forgets the updates of a digest up to a revision, because a state has them. */
    void arrived(Digest digest, long revision) {
        Waiting waiting = digests.get(digest);
        if (waiting == null) {
            return;
        }
        while (!waiting.marks.isEmpty() && waiting.marks.getFirst().revision <= revision) {
            Mark mark = waiting.marks.removeFirst();
            mark.arrived = true;
            kept -= mark.update == null ? 0 : 1;
        }
        if (waiting.marks.isEmpty()) {
            digests.remove(digest);
        }
    }

    /**
     * Returns the revision up to which the states of a shard have all updates of this node.
     *
     * @param last the last revision of all
     */
    long reflected(int shard, long last) {
        ArrayDeque<Mark> queue = marks.get(shard);
        while (!queue.isEmpty() && queue.getFirst().arrived) {
            queue.removeFirst();
        }
        return queue.isEmpty() ? last : queue.getFirst().revision - 1;
    }

    int size() {
        return digests.size();
    }

    /** Returns whether a digest waits for a state of its own, so that those of other nodes cannot be used. */
    boolean isUnknown(Digest digest) {
        Waiting waiting = digests.get(digest);
        return waiting != null && waiting.unknown;
    }

    /** Returns whether an update with a signature of a digest waits for a state that has it. */
    boolean isSigned(Digest digest) {
        Waiting waiting = digests.get(digest);
        return waiting != null && waiting.marks.stream().anyMatch(mark -> mark.signed);
    }

    /** Returns a state with the updates of this node that it lacks; null if there is no hash then. */
    @Nullable
    StoredHash over(Digest digest, @Nullable StoredHash state) {
        Waiting waiting = digests.get(digest);
        if (waiting == null) {
            return state;
        }
        List<FlagValue> flags = new ArrayList<>(state == null ? List.of() : state.flags());
        long renewed = state == null ? 0 : state.renewed();
        Signature signature = state == null ? null : state.signature();
        for (Mark mark : waiting.marks) {
            switch (mark.update) {
                case Update.Write write -> write(flags, write);
                case Update.Delete delete -> flags.removeIf(flag -> flag.flag() == delete.flag());
                case Update.DeleteAll _ -> flags.clear();
                case Update.Refresh refresh -> renewed = flags.isEmpty() ? 0 : Math.max(renewed, refresh.time());
                case Update.Expire _ -> {
                    // Redis and each node expire hashes themselves.
                }
                case null -> throw new IllegalStateException("an update of " + digest + " is not remembered");
            }
            if (flags.isEmpty()) {
                renewed = 0;
                signature = null;
            }
        }
        return flags.isEmpty() ? null : new StoredHash(digest, flags, signature, renewed);
    }

    private static void write(List<FlagValue> flags, Update.Write write) {
        for (int i = 0; i < flags.size(); i++) {
            if (flags.get(i).flag() == write.flag()) {
                flags.set(i, flags.get(i).plus(write.weight(), write.time()));
                return;
            }
        }
        flags.add(new FlagValue(write.flag(), write.weight(), write.time()));
    }
}
