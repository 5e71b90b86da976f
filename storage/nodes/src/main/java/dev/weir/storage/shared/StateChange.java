package dev.weir.storage.shared;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.index.StoredSignature;
import org.jspecify.annotations.Nullable;

/** The updates that turn what the index knows of a hash into a state of Redis. */
final class StateChange {
    private StateChange() {}

    /**
     * Returns the updates; none if nothing differs that decides an answer.
     *
     * @param known what the index has, or null
     * @param wanted what it should have, or null for no hash
     * @param otherSignature whether the index has a signature that it must not have
     */
    static List<Update> of(Digest digest, HashIndex.@Nullable KnownHash known, @Nullable StoredHash wanted,
            boolean otherSignature) {
        if (wanted == null) {
            return known == null ? List.of() : List.of(new Update.DeleteAll(digest));
        }
        if (known == null) {
            return whole(wanted);
        }
        if (otherSignature || hasOtherTie(known, wanted) || isTooYoung(known, wanted)) {
            List<Update> again = new ArrayList<>();
            again.add(new Update.DeleteAll(digest));
            again.addAll(whole(wanted));
            return again;
        }
        List<Update> updates = new ArrayList<>();
        Signature signature = lacksSignature(known, wanted) ? wanted.signature() : null;
        for (FlagValue flag : wanted.flags()) {
            FlagValue now = find(known.flags(), flag.flag());
            if (now == null || now.value() != flag.value()) {
                long time = Math.max(flag.time(), now == null ? 0 : wanted.renewed());
                long weight = now == null ? flag.value() : flag.value() - now.value();
                if (now != null && FlagValue.add(now.value(), weight) != flag.value()) {
                    // The difference does not fit into 64 bits; half of it does.
                    long half = flag.value() / 2 - now.value() / 2;
                    updates.add(new Update.Write(digest, flag.flag(), half, time, null));
                    weight = flag.value() - (now.value() + half);
                }
                updates.add(new Update.Write(digest, flag.flag(), weight, time, signature));
                signature = null;
            }
        }
        for (FlagValue flag : known.flags()) {
            if (find(wanted.flags(), flag.flag()) == null) {
                updates.add(new Update.Delete(digest, flag.flag()));
            }
        }
        addTimes(digest, known, wanted, updates);
        if (signature != null) {
            FlagValue first = wanted.flags().getFirst();
            updates.add(new Update.Write(digest, first.flag(), 0, first.time(), signature));
        }
        return updates;
    }

    /** Returns whether a state lacks a flag that the index has. */
    static boolean removes(HashIndex.@Nullable KnownHash known, @Nullable StoredHash wanted) {
        if (known == null) {
            return false;
        }
        if (wanted == null) {
            return true;
        }
        for (FlagValue flag : known.flags()) {
            if (find(wanted.flags(), flag.flag()) == null) {
                return true;
            }
        }
        return false;
    }

    private static void addTimes(Digest digest, HashIndex.KnownHash known, StoredHash wanted,
            List<Update> updates) {
        long renewed = known.renewed();
        boolean older = wanted.flags().stream()
                .anyMatch(flag -> isOlder(known, known.renewed(), flag, wanted));
        if (older && wanted.renewed() > renewed) {
            updates.add(new Update.Refresh(digest, wanted.renewed()));
            renewed = wanted.renewed();
        }
        for (FlagValue flag : wanted.flags()) {
            if (isOlder(known, renewed, flag, wanted)) {
                updates.add(new Update.Write(digest, flag.flag(), 0, flag.time(), null));
            }
        }
    }

    /** Returns whether a new or unchanged flag would expire earlier in the index than it should. */
    private static boolean isOlder(HashIndex.KnownHash known, long renewed, FlagValue flag, StoredHash wanted) {
        FlagValue now = find(known.flags(), flag.flag());
        long time = now == null ? flag.time() : now.time();
        return (now == null || now.value() == flag.value())
                && Math.max(time, renewed) < Math.max(flag.time(), wanted.renewed());
    }

    private static List<Update> whole(StoredHash wanted) {
        List<Update> updates = new ArrayList<>();
        Signature signature = wanted.signature();
        for (FlagValue flag : wanted.flags()) {
            updates.add(new Update.Write(wanted.digest(), flag.flag(), flag.value(), flag.time(), signature));
            signature = null;
        }
        if (wanted.renewed() > 0) {
            updates.add(new Update.Refresh(wanted.digest(), wanted.renewed()));
        }
        return updates;
    }

    /**
     * Returns whether flags have the same values and another one of the highest is the primary one: only then would a
     * node keep another order than the others.
     */
    private static boolean hasOtherTie(HashIndex.KnownHash known, StoredHash wanted) {
        FlagValue first = wanted.flags().getFirst();
        FlagValue now = known.flags().getFirst();
        if (first.flag() == now.flag() || known.flags().size() != wanted.flags().size()
                || lacksSignature(known, wanted) || wanted.signature() == null == known.signed()) {
            return false;
        }
        for (FlagValue flag : wanted.flags()) {
            FlagValue same = find(known.flags(), flag.flag());
            if (same == null || same.value() != flag.value()) {
                return false;
            }
        }
        return first.value() == now.value();
    }

    /**
     * Returns whether a flag would expire later than it should, because Redis has lost or removed its last change.
     * A time cannot go back, so the hash must be made again.
     */
    private static boolean isTooYoung(HashIndex.KnownHash known, StoredHash wanted) {
        if (known.signed() && (wanted.signature() == null || lacksSlots(known, wanted.signature()))) {
            return false;
        }
        for (FlagValue flag : wanted.flags()) {
            FlagValue now = find(known.flags(), flag.flag());
            long time = Math.max(now == null ? 0 : now.time(), known.renewed());
            if (time > Math.max(flag.time(), wanted.renewed())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns whether the index has another signature than a state, or shingles or side hashes that the state lacks. An
     * index never replaces a complete signature, so the hash must be made again.
     *
     * @param known what the index has
     * @param wanted the signature of the state; null if it is sure to have none
     */
    static boolean hasOtherSignature(HashIndex index, Digest digest, HashIndex.KnownHash known,
            @Nullable Signature wanted, Lookup lookup) {
        if (!known.signed()) {
            return false;
        }
        StoredSignature mine = wanted == null ? null : index.signature(digest, lookup);
        if (wanted == null || mine == null) {
            return true;
        }
        return mine.slotsEqualTo(index.signature(wanted, lookup)) != known.slots()
                || (!Objects.equals(known.sides(), wanted.sides()) && !lacksSignature(known, wanted));
    }

    private static boolean lacksSlots(HashIndex.KnownHash known, Signature signature) {
        return (known.slots() & ~signature.mask()) != 0;
    }

    /** Returns whether the index takes shingles or side hashes of a signature that it does not know. */
    private static boolean lacksSignature(HashIndex.KnownHash known, StoredHash wanted) {
        return wanted.signature() != null && lacksSignature(known, wanted.signature());
    }

    private static boolean lacksSignature(HashIndex.KnownHash known, Signature signature) {
        return known.slots() == Signature.ALL_SLOTS
                ? signature.addsSides(known.sides() != null)
                : (signature.mask() & ~known.slots()) != 0;
    }

    private static @Nullable FlagValue find(List<FlagValue> flags, int number) {
        for (FlagValue flag : flags) {
            if (flag.flag() == number) {
                return flag;
            }
        }
        return null;
    }
}
