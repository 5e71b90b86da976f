package dev.weir.storage;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * One hash as a backend keeps it.
 *
 * @param digest its name
 * @param flags at least one; the first is the primary one, no flag occurs twice
 * @param signature for near duplicates, or null for a hash that can only be found exactly
 */
public record StoredHash(Digest digest, List<FlagValue> flags, @Nullable Signature signature) {

    /** Copies the list. */
    public StoredHash {
        flags = List.copyOf(flags);
        if (flags.isEmpty()) {
            throw new IllegalArgumentException("a hash without a flag");
        }
    }
}
