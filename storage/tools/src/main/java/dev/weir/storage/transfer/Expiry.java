package dev.weir.storage.transfer;

import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * A filter by age.
 *
 * @param oldest the minimum time of the last change or renewal in seconds since the epoch; {@link Long#MIN_VALUE} for
 *            no limit
 */
public record Expiry(long oldest) {
    /** A filter that accepts everything. */
    public static final Expiry NONE = new Expiry(Long.MIN_VALUE);

    /** Returns the hash with its flags that are recent enough, or null if there are none. */
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
