package dev.weir.storage.transfer;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/**
 * The treatment of a digest that the target already has. Flags are merged one by one; a flag of only one side stays as
 * it is. The target takes over a signature if it has none, or one with fewer known slots, or
 * a complete one without the side hashes of the other.
 */
public enum Merge {
    /** The greater value and the newer time of each flag. Repetition changes nothing. */
    MAX,
    /** The sum of the values and the newer time of each flag. */
    ADD,
    /** The existing flag wins. Repetition changes nothing. */
    KEEP;

    /** Returns the resulting hash of the target; equal to {@code there} if nothing changes. */
    public StoredHash merge(StoredHash there, StoredHash arriving) {
        Map<Integer, FlagValue> flags = new LinkedHashMap<>();
        there.flags().forEach(flag -> flags.put(flag.flag(), flag));
        arriving.flags().forEach(flag -> flags.merge(flag.flag(), flag, this::merge));
        FlagValue primary = flags.get(there.flags().getFirst().flag());
        if (primary == null) {
            throw new IllegalStateException("the primary flag is gone");
        }
        flags.remove(primary.flag());
        StoredHash merged = new StoredHash(there.digest(), Flags.arrange(primary, flags.values()),
                better(there.signature(), arriving.signature()),
                this == KEEP ? there.renewed() : Math.max(there.renewed(), arriving.renewed()));
        return merged.equals(there) ? there : merged;
    }

    private FlagValue merge(FlagValue there, FlagValue arriving) {
        long time = Math.max(there.time(), arriving.time());
        return switch (this) {
            case MAX -> new FlagValue(there.flag(), Math.max(there.value(), arriving.value()), time);
            case ADD -> there.plus(arriving.value(), time);
            case KEEP -> there;
        };
    }

    private static @Nullable Signature better(@Nullable Signature there, @Nullable Signature arriving) {
        if (there == null || arriving == null) {
            return there == null ? arriving : there;
        }
        int more = Integer.bitCount(arriving.mask()) - Integer.bitCount(there.mask());
        return more > 0 || (more == 0 && arriving.addsSides(there.sides() != null)) ? arriving : there;
    }

    /** Returns the name in lower case, as in options and reports. */
    public String key() {
        return name().toLowerCase(Locale.ROOT);
    }
}
