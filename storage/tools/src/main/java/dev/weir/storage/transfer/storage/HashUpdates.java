package dev.weir.storage.transfer.storage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/** The updates that turn a stored hash into another version of it. */
final class HashUpdates {
    private final Digest digest;
    private final FlagValue primary;
    private final List<Update> updates = new ArrayList<>(1);

    /** Travels with the first write. */
    private @Nullable Signature signature;

    private HashUpdates(StoredHash result, @Nullable Signature signature) {
        this.digest = result.digest();
        this.primary = result.flags().getFirst();
        this.signature = signature;
    }

    /**
     * Returns the updates of a hash.
     *
     * @param there the stored hash, or null; the value of its signature does not matter, only that it is another one
     *            than that of the result if the signature changes
     * @param result a merger with it: no flag has an older time, the renewal is no older, and a changed signature has
     *            more known slots
     */
    static List<Update> between(@Nullable StoredHash there, StoredHash result) {
        if (there == null) {
            HashUpdates made = new HashUpdates(result, result.signature());
            result.flags().forEach(flag -> made.write(flag, flag.value()));
            made.renew(0, result.renewed());
            return made.updates;
        }
        HashUpdates change = new HashUpdates(result,
                Objects.equals(there.signature(), result.signature()) ? null : result.signature());
        change.change(there, result);
        change.renew(there.renewed(), result.renewed());
        return change.updates;
    }

    /**
     * Orders the writes so that the primary flag of the result is the primary one in the end. A stored flag becomes
     * primary when its value is greater than that of the present one, not when it is equal.
     */
    private void change(StoredHash there, StoredHash result) {
        Map<Integer, FlagValue> left = new HashMap<>();
        there.flags().forEach(flag -> left.put(flag.flag(), flag));
        int before = there.flags().getFirst().flag();
        Map<FlagValue, FlagValue> changed = new HashMap<>();
        List<FlagValue> order = new ArrayList<>();
        for (FlagValue flag : result.flags()) {
            FlagValue old = left.remove(flag.flag());
            if (!flag.equals(old)) {
                order.add(flag);
                if (old != null) {
                    changed.put(flag, old);
                }
            }
        }
        order.sort(Comparator.comparingInt(flag -> rank(flag, changed.get(flag), before)));
        for (FlagValue flag : order) {
            if (rank(flag, changed.get(flag), before) > 0) {
                delete(left);
            }
            FlagValue old = changed.get(flag);
            if (old == null) {
                write(flag, flag.value());
            } else {
                raise(flag, old.value());
            }
        }
        delete(left);
        if (signature != null) {
            write(primary, 0);
        }
    }

    private int rank(FlagValue flag, @Nullable FlagValue old, int primaryBefore) {
        boolean lowered = old != null && flag.value() < old.value();
        if (flag.equals(primary) && !lowered) {
            return 0;
        }
        if (flag.flag() == primaryBefore) {
            return 2;
        }
        return lowered ? 1 : 3;
    }

    private void delete(Map<Integer, FlagValue> flags) {
        flags.keySet().stream().sorted().forEach(flag -> updates.add(new Update.Delete(digest, flag)));
        flags.clear();
    }

    private void raise(FlagValue flag, long from) {
        long weight = flag.value() - from;
        if (flag.value() > from && weight < 0) {
            // The difference needs more than 64 bits.
            write(flag, Long.MAX_VALUE);
            write(flag, weight - Long.MAX_VALUE);
        } else {
            write(flag, weight);
        }
    }

    private void write(FlagValue flag, long weight) {
        updates.add(new Update.Write(digest, flag.flag(), weight, flag.time(), signature));
        signature = null;
    }

    private void renew(long before, long after) {
        if (after > before) {
            updates.add(new Update.Refresh(digest, after));
        }
    }
}
