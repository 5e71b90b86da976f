package dev.weir.storage;

import java.util.List;

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
}
