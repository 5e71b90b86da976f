package dev.weir.storage.transfer.storage;

import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex.KnownHash;
import dev.weir.storage.transfer.Flags;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/** Hashes as an index keeps them, for merging. */
final class KnownHashes {
    private static final long LAST_SECOND = 0xffff_ffffL;

    private KnownHashes() {}

    /** Returns what an index knows of a hash, or null. Of the signature, only the numbers of known slots are true. */
    static @Nullable StoredHash hash(Digest digest, @Nullable KnownHash known) {
        if (known == null) {
            return null;
        }
        FlagValue primary = known.flags().getFirst();
        Signature signature = known.signed()
                ? Signature.partial(new long[Signature.SLOTS], 0, known.slots())
                        .withSides(known.sides())
                : null;
        return new StoredHash(digest, Flags.arrange(primary, known.flags().subList(1, known.flags().size())), signature,
                known.renewed());
    }

    /** Returns the hash with times that the index can hold. */
    static StoredHash inRange(StoredHash hash) {
        boolean fits = isInRange(hash.renewed());
        for (FlagValue flag : hash.flags()) {
            fits &= isInRange(flag.time());
        }
        if (fits) {
            return hash;
        }
        List<FlagValue> flags = hash.flags().stream()
                .map(flag -> new FlagValue(flag.flag(), flag.value(), Math.clamp(flag.time(), 0, LAST_SECOND)))
                .toList();
        return new StoredHash(hash.digest(), flags, hash.signature(), Math.clamp(hash.renewed(), 0, LAST_SECOND));
    }

    private static boolean isInRange(long time) {
        return time >= 0 && time <= LAST_SECOND;
    }

    /** Returns the hash without excess flags, which are counted. */
    static StoredHash bounded(StoredHash hash, Omissions omissions) {
        StoredHash bounded = hash.bounded();
        omissions.add(Omission.TOO_MANY_FLAGS, hash.flags().size() - bounded.flags().size());
        return bounded;
    }
}
