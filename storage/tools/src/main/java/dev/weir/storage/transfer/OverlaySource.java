package dev.weir.storage.transfer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * A source with additional updates, which a storage has acknowledged but not yet written to its database. The updates
 * are in memory, so there must be few compared with the hashes.
 */
public final class OverlaySource implements HashSource {
    private final HashSource below;
    private final Map<Digest, List<Update>> pending = new LinkedHashMap<>();
    private final long fingerprint;

    /**
     * Creates the source. Closing it closes the underlying source.
     *
     * @param updates in order of arrival
     */
    public OverlaySource(HashSource below, List<Update> updates) {
        this.below = below;
        for (Update update : updates) {
            pending.computeIfAbsent(update.digest(), digest -> new ArrayList<>()).add(update);
        }
        this.fingerprint = updates.hashCode();
    }

    @Override
    public String name() {
        return below.name();
    }

    @Override
    public void prepare(LongConsumer progress) throws StorageException {
        below.prepare(progress);
    }

    @Override
    public long remaining(long after) throws StorageException {
        long hashes = below.remaining(after);
        return hashes == UNKNOWN ? UNKNOWN : hashes + pending.size();
    }

    @Override
    public long fingerprint() throws StorageException {
        return below.fingerprint() * 31 + fingerprint;
    }

    /** The hashes of the source come first, then those that only the updates create. */
    @Override
    public void read(long after, Sink sink, Omissions omissions) throws StorageException {
        Map<Digest, List<Update>> left = new LinkedHashMap<>(pending);
        long[] last = {START};
        // Always from the start, because otherwise it is unknown which digests are new.
        below.read(START, (position, hash) -> {
            last[0] = position;
            List<Update> updates = left.remove(hash.digest());
            StoredHash changed = updates == null ? hash : apply(hash, updates);
            if (changed != null && position > after) {
                sink.accept(position, changed);
            }
        }, omissions);
        long position = Math.max(0, last[0]);
        for (List<Update> updates : left.values()) {
            position++;
            StoredHash made = apply(null, updates);
            if (made != null && position > after) {
                sink.accept(position, made);
            }
        }
    }

    /** Returns what updates make of a hash, which may be missing before or afterwards. */
    public static @Nullable StoredHash apply(@Nullable StoredHash hash, List<Update> updates) {
        StoredHash result = hash;
        for (Update update : updates) {
            result = switch (update) {
                case Update.Write write -> write(result, write);
                case Update.Delete delete -> result == null ? null : delete(result, delete.flag());
                case Update.DeleteAll delete -> null;
                case Update.Refresh refresh -> result == null
                        ? null
                        : new StoredHash(result.digest(), result.flags(),
                                result.signature(), Math.max(result.renewed(), refresh.time()));
                case Update.Expire expire -> result == null ? null : expire(result, expire);
            };
        }
        return result;
    }

    private static StoredHash write(@Nullable StoredHash hash, Update.Write write) {
        StoredHash vote = new StoredHash(write.digest(),
                List.of(new FlagValue(write.flag(), write.weight(), write.time())), write.signature());
        if (hash == null) {
            return vote;
        }
        FlagValue primary = hash.flags().getFirst();
        Map<Integer, FlagValue> others = new LinkedHashMap<>();
        hash.flags().stream().skip(1).forEach(flag -> others.put(flag.flag(), flag));
        if (primary.flag() == write.flag()) {
            primary = primary.plus(write.weight(), write.time());
        } else {
            others.merge(write.flag(), vote.flags().getFirst(), (old, fresh) -> old.plus(fresh.value(), fresh.time()));
        }
        Signature kept = hash.signature();
        Signature brought = write.signature();
        boolean takes = brought != null && (kept == null || kept.mask() != Signature.ALL_SLOTS
                || brought.addsSides(kept.sides() != null));
        return new StoredHash(hash.digest(), Flags.arrange(primary, others.values()),
                takes ? brought : kept, hash.renewed());
    }

    private static @Nullable StoredHash expire(StoredHash hash, Update.Expire expire) {
        boolean due = hash.flags().stream().anyMatch(flag -> flag.flag() == expire.flag()
                && Math.max(flag.time(), hash.renewed()) < expire.before());
        return due ? delete(hash, expire.flag()) : hash;
    }

    private static @Nullable StoredHash delete(StoredHash hash, int flag) {
        return Flags.keep(hash, value -> value.flag() != flag);
    }

    @Override
    public void done() throws StorageException {
        below.done();
    }

    @Override
    public void close() throws StorageException {
        below.close();
    }
}
