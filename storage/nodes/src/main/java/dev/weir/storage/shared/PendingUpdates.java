package dev.weir.storage.shared;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateOrigin;
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

        /** Whether {@link #base} is what Redis had before these updates, null for no hash. */
        boolean based;
        @Nullable
        StoredHash base;
    }

    /**
     * What Redis is to have of a digest, as far as this node knows: its state without the updates on the way.
     *
     * @param certain whether the times of the flags are those of Redis; otherwise they may be later
     */
    record Held(StoredHash hash, boolean certain) {}

    /** The digests that Redis has not, as far as this node knows, before these updates. Any thread may ask. */
    private final Set<Digest> fresh = ConcurrentHashMap.newKeySet();

    /** One update; {@code update} is null if it is not remembered. */
    private static final class Mark {
        final long revision;
        final Digest digest;
        final @Nullable Update update;

        /** Whether the update has a signature. */
        final boolean signed;

        /** Whether it removes a flag only if nothing is left of it. */
        final boolean undo;
        boolean arrived;

        Mark(long revision, Digest digest, @Nullable Update update, boolean signed, boolean undo) {
            this.revision = revision;
            this.digest = digest;
            this.update = update;
            this.signed = signed;
            this.undo = undo;
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
    void replace(int shard, long until, List<LoggedUpdate> missing) {
        List<Later> later = new ArrayList<>();
        Map<Digest, Waiting> before = new HashMap<>();
        digests.forEach((digest, waiting) -> {
            if (layout.shard(digest) == shard) {
                before.put(digest, waiting);
                for (Mark mark : waiting.marks) {
                    if (mark.revision > until) {
                        later.add(new Later(mark.revision, digest, mark.update, mark.signed, mark.undo));
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
                add(one.revision(), new Update.DeleteAll(one.digest()), one.signed(), one.undo());
            } else {
                add(one.revision(), one.update(), one.signed(), one.undo());
            }
        }
        before.forEach(this::keepBase);
    }

    /** Keeps what Redis had of a digest if it lacks the same updates as before. */
    private void keepBase(Digest digest, Waiting before) {
        Waiting now = digests.get(digest);
        if (before.based && now != null && firstRevision(before) == firstRevision(now)) {
            now.based = true;
            now.base = before.base;
            if (now.base == null) {
                fresh.add(digest);
            }
        }
    }

    private static long firstRevision(Waiting waiting) {
        return waiting.marks.isEmpty() ? -1 : waiting.marks.getFirst().revision;
    }

    private record Later(long revision, Digest digest, @Nullable Update update, boolean signed, boolean undo) {}

    /** Forgets the updates of a shard. */
    private void clear(int shard) {
        digests.entrySet().removeIf(entry -> {
            boolean here = layout.shard(entry.getKey()) == shard;
            if (here) {
                fresh.remove(entry.getKey());
                kept -= (int) entry.getValue().marks.stream().filter(mark -> mark.update != null).count();
            }
            return here;
        });
        marks.set(shard, new ArrayDeque<>());
    }

    /** Returns whether an update is the undo of others. */
    static boolean isUndo(UpdateOrigin origin) {
        UpdateSubmitter submission = origin.submission();
        return submission != null && submission.isUndo();
    }

    /** Remembers an update of this node, of which the index has more than Redis may have had. */
    void add(LoggedUpdate logged) {
        add(logged.revision(), logged.update(), isUndo(logged.origin()));
    }

    private void add(long revision, Update update, boolean undo) {
        add(revision, update, update instanceof Update.Write write && write.signature() != null, undo);
    }

    /** Takes note of what the index has of a digest before an update of this node. */
    void before(Digest digest, HashIndex.@Nullable KnownHash known) {
        if (!digests.containsKey(digest)) {
            Waiting waiting = new Waiting();
            waiting.based = true;
            waiting.base = known == null ? null : new StoredHash(digest, known.flags(), null, known.renewed());
            digests.put(digest, waiting);
            if (known == null) {
                fresh.add(digest);
            }
        }
    }

    /** Returns whether a digest has updates on the way. */
    boolean isWaiting(Digest digest) {
        return digests.containsKey(digest);
    }

    /** Returns whether a digest has updates on the way up to a revision. */
    boolean isWaiting(Digest digest, long revision) {
        Waiting waiting = digests.get(digest);
        return waiting != null && !waiting.marks.isEmpty() && waiting.marks.getFirst().revision <= revision;
    }

    /** Returns whether Redis has a digest, as far as this node knows. Any thread may ask. */
    boolean isKnown(Digest digest) {
        return !fresh.contains(digest);
    }

    /** Takes note of a state of Redis that has updates of this node on top in the index. */
    void based(Digest digest, @Nullable StoredHash state) {
        Waiting waiting = digests.get(digest);
        if (waiting != null) {
            waiting.based = true;
            waiting.base = state;
            if (state != null) {
                fresh.remove(digest);
            }
        }
    }

    /**
     * Returns what Redis is to have of a digest; null if this node knows of nothing.
     *
     * @param known what the index has of it
     */
    @Nullable
    Held held(Digest digest, HashIndex.@Nullable KnownHash known) {
        Waiting waiting = digests.get(digest);
        if (waiting == null) {
            return known == null
                    ? null
                    : new Held(new StoredHash(digest, known.flags(), null, known.renewed()), true);
        }
        if (waiting.based) {
            return waiting.base == null ? null : new Held(waiting.base, true);
        }
        if (known == null || waiting.unknown) {
            return null;
        }
        List<FlagValue> flags = new ArrayList<>();
        boolean certain = true;
        for (FlagValue flag : known.flags()) {
            boolean older = isOlder(flag, waiting);
            FlagValue before = without(flag, waiting, older);
            if (before != null) {
                flags.add(before);
                certain &= older;
            }
        }
        return flags.isEmpty() ? null : new Held(new StoredHash(digest, flags, null, known.renewed()), certain);
    }

    /** Returns whether a flag had its time before the updates, because times never decrease and theirs are earlier. */
    private static boolean isOlder(FlagValue flag, Waiting waiting) {
        return waiting.marks.stream().noneMatch(mark -> mark.update instanceof Update.Write write
                && write.flag() == flag.flag() && write.time() >= flag.time());
    }

    /**
     * Returns a flag as it was before the updates; null if they remove it or there was none.
     *
     * @param older whether it had its time before them
     */
    private static @Nullable FlagValue without(FlagValue flag, Waiting waiting, boolean older) {
        long value = flag.value();
        long time = flag.time();
        boolean written = false;
        for (Mark mark : waiting.marks) {
            switch (mark.update) {
                case Update.Write write when write.flag() == flag.flag() -> {
                    value -= write.weight();
                    time = older ? time : Math.min(time, write.time());
                    written = true;
                }
                case Update.Delete delete when delete.flag() == flag.flag() && !mark.undo -> {
                    return null;
                }
                case Update.DeleteAll _ -> {
                    return null;
                }
                case null, default -> {
                    // Another flag.
                }
            }
        }
        return written && value == 0 ? null : new FlagValue(flag.flag(), value, time);
    }

    private void add(long revision, Update update, boolean signed, boolean undo) {
        Waiting waiting = digests.computeIfAbsent(update.digest(), _ -> new Waiting());
        boolean keep = kept < maxKept && !waiting.unknown;
        if (keep) {
            kept++;
        } else {
            waiting.unknown = true;
        }
        Mark mark = new Mark(revision, update.digest(), keep ? withoutSignature(update) : null, signed, undo);
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
            fresh.remove(digest);
        }
    }

    /**
     * Takes the updates of a shard up to a revision as those that Redis has, because the index has used every state
     * up to that moment.
     *
     * @return digests whose state in Redis must be read: another node put it back with these updates, or they changed
     *         nothing
     */
    Set<Digest> overdue(int shard, long revision) {
        Set<Digest> found = new LinkedHashSet<>();
        for (Mark mark : marks.get(shard)) {
            if (mark.revision > revision) {
                break;
            }
            if (!mark.arrived) {
                found.add(mark.digest);
            }
        }
        found.forEach(digest -> arrived(digest, revision));
        return found;
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
                case Update.Delete delete -> flags
                        .removeIf(flag -> flag.flag() == delete.flag() && !(mark.undo && flag.value() > 0));
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
