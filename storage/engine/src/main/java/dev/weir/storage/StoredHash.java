package dev.weir.storage;

import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * A hash as a backend stores it.
 *
 * @param digest the digest that identifies the hash
 * @param flags at least one flag, without duplicates; the first is the primary flag
 * @param signature the signature for near-duplicate matching, or null if only the exact digest matches
 * @param renewed when a strong match last renewed the hash, in seconds since the epoch, or 0 if never; renewal only
 *            postpones expiry
 */
public record StoredHash(Digest digest, List<FlagValue> flags, @Nullable Signature signature, long renewed) {

    /** Creates a hash that no match has renewed. */
    public StoredHash(Digest digest, List<FlagValue> flags, @Nullable Signature signature) {
        this(digest, flags, signature, 0);
    }

    /** Copies the list of flags. */
    public StoredHash {
        flags = List.copyOf(flags);
        if (flags.isEmpty()) {
            throw new IllegalArgumentException("a hash requires at least one flag");
        }
    }

    /** The most flags outside 0..255 that a storage keeps for one hash. Only imported files contain such flags. */
    public static final int MAX_ODD_FLAGS = 256;

    /**
     * Returns the hash without excess flags. Of the flags outside 0..255, it keeps the first {@value #MAX_ODD_FLAGS},
     * including the primary flag, so there is always room for the flags that clients can set.
     *
     * @return this hash if it has no excess flags
     */
    public StoredHash bounded() {
        if (flags.size() <= MAX_ODD_FLAGS) {
            return this;
        }
        List<FlagValue> kept = new ArrayList<>();
        int odd = 0;
        for (FlagValue flag : flags) {
            odd += flag.isOdd() ? 1 : 0;
            if (!flag.isOdd() || odd <= MAX_ODD_FLAGS) {
                kept.add(flag);
            }
        }
        return kept.size() == flags.size() ? this : new StoredHash(digest, kept, signature, renewed);
    }
}
