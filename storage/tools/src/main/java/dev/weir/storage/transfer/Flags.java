package dev.weir.storage.transfer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

import dev.weir.model.FlagValue;
import dev.weir.storage.StoredHash;
import org.jspecify.annotations.Nullable;

/** The order of the flags of a hash. */
public final class Flags {
    private Flags() {}

    /**
     * Returns the flags with the primary one first and the others by number. As in every backend, another flag becomes
     * primary only if its value is greater.
     */
    public static List<FlagValue> arrange(FlagValue primary, Collection<FlagValue> others) {
        FlagValue first = primary;
        for (FlagValue other : others) {
            if (other.value() > first.value() || (!first.equals(primary) && other.outranks(first))) {
                first = other;
            }
        }
        List<FlagValue> result = new ArrayList<>(others.size() + 1);
        result.addAll(others);
        if (!first.equals(primary)) {
            result.remove(first);
            result.add(primary);
        }
        result.sort(Comparator.comparingInt(FlagValue::flag));
        result.addFirst(first);
        return result;
    }

    /**
     * Returns the hash with the wanted flags: the same object if all are wanted, null if none is. If the primary flag
     * is not wanted, the highest remaining flag replaces it.
     */
    public static @Nullable StoredHash keep(StoredHash hash, Predicate<FlagValue> wanted) {
        List<FlagValue> left = hash.flags().stream().filter(wanted).toList();
        if (left.isEmpty() || left.size() == hash.flags().size()) {
            return left.isEmpty() ? null : hash;
        }
        FlagValue old = hash.flags().getFirst();
        FlagValue primary = left.contains(old)
                ? old
                : left.stream().reduce((a, b) -> a.outranks(b) ? a : b).orElseThrow();
        return new StoredHash(hash.digest(),
                arrange(primary, left.stream().filter(flag -> !flag.equals(primary)).toList()),
                hash.signature(), hash.renewed());
    }
}
