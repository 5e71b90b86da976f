package dev.weir.storage.transfer;

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
        StoredHash young = Flags.keep(hash, flag -> flag.time() >= oldest);
        if (young == null) {
            omissions.count(Omission.EXPIRED);
        } else if (young.flags().size() < hash.flags().size()) {
            omissions.add(Omission.EXPIRED_FLAG, hash.flags().size() - young.flags().size());
        }
        return young;
    }
}
