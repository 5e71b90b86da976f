package dev.weir.storage.transfer;

import java.util.List;

import dev.weir.storage.FlagValue;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out what is too old.
 *
 * @param oldest seconds since the epoch of the oldest change or renewal to take; {@link Long#MIN_VALUE} for all
 */
public record Expiry(long oldest) {
    /** Takes everything. */
    public static final Expiry NONE = new Expiry(Long.MIN_VALUE);

    /** The hash with the flags that are young enough, or null if none is. */
    public @Nullable StoredHash apply(StoredHash hash, Omissions omissions) {
        if (hash.renewed() >= oldest) {
            return hash;
        }
        List<FlagValue> young = hash.flags().stream().filter(flag -> flag.time() >= oldest).toList();
        if (young.size() == hash.flags().size()) {
            return hash;
        }
        if (young.isEmpty()) {
            omissions.count(Omission.EXPIRED);
            return null;
        }
        omissions.add(Omission.EXPIRED_FLAG, hash.flags().size() - young.size());
        FlagValue primary = young.contains(hash.flags().getFirst())
                ? young.getFirst()
                : young.stream().reduce((a, b) -> a.outranks(b) ? a : b).orElseThrow();
        return new StoredHash(hash.digest(),
                Flags.arrange(primary, young.stream().filter(flag -> !flag.equals(primary)).toList()), hash.signature(),
                hash.renewed());
    }
}
