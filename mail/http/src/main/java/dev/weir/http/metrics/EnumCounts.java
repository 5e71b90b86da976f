package dev.weir.http.metrics;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;

/**
 * A count for each constant of an enumeration, from zero. Thread-safe.
 *
 * @param <E> what is counted
 */
public final class EnumCounts<E extends Enum<E>> {
    private final Map<E, LongAdder> adders;

    /** Starts with zeros. */
    public EnumCounts(Class<E> type) {
        this.adders = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            adders.put(constant, new LongAdder());
        }
    }

    /** Adds one. */
    public void count(E constant) {
        adder(constant).increment();
    }

    /** Returns the count of a constant. */
    public long of(E constant) {
        return adder(constant).sum();
    }

    private LongAdder adder(E constant) {
        LongAdder adder = adders.get(constant);
        if (adder == null) {
            throw new IllegalArgumentException("nothing counts " + constant);
        }
        return adder;
    }

    /** Passes each constant and its count, in the order of declaration. */
    public void forEach(ObjLongConsumer<E> target) {
        adders.forEach((constant, adder) -> target.accept(constant, adder.sum()));
    }

    /** Returns a sample for each constant, in the order of declaration. */
    public List<Metric.Sample> samples(String label, Function<E, String> word) {
        return adders.entrySet().stream().map(entry -> Metric.Sample.of(
                List.of(new Metric.Label(label, word.apply(entry.getKey()))), entry.getValue().sum())).toList();
    }
}
