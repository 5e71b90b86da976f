package dev.weir.storage.transfer;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

import dev.weir.storage.FlagValue;

/** The order of the flags of a hash. */
public final class Flags {
    private Flags() {}

    /**
     * The primary one first, the others by number. The primary one gives way to another only if that one's value is
     * greater, as in every backend.
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
}
