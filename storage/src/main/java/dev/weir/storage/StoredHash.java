package dev.weir.storage;

import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import org.jspecify.annotations.Nullable;

/**
 * One hash as a backend keeps it.
 *
 * @param digest its name
 * @param flags at least one; the first is the primary one, no flag occurs twice
 * @param signature for near duplicates, or null for a hash that can only be found exactly
 * @param renewed seconds since the epoch at which a strong match renewed it last, which puts off its expiry and changes
 *            nothing else; 0 if none did
 */
public record StoredHash(Digest digest, List<FlagValue> flags, @Nullable Signature signature, long renewed) {

    /** A hash that no match has renewed. */
    public StoredHash(Digest digest, List<FlagValue> flags, @Nullable Signature signature) {
        this(digest, flags, signature, 0);
    }

    /** Copies the list. */
    public StoredHash {
        flags = List.copyOf(flags);
        if (flags.isEmpty()) {
            throw new IllegalArgumentException("a hash without a flag");
        }
    }

    /** Flags outside of 0..255 that a storage keeps of one hash; clients can give none, files can hold any. */
    public static final int MAX_ODD_FLAGS = 256;

    /**
     * The hash without the flags that are too many for a storage: it keeps the first {@value #MAX_ODD_FLAGS} outside of
     * 0..255, the primary one among them, and so always has room for those that clients can give.
     *
     * @return this hash if no flag is too many
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
