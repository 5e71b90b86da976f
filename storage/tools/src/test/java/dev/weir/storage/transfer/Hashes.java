package dev.weir.storage.transfer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import org.jspecify.annotations.Nullable;

/** Hashes of every kind, for properties. */
public final class Hashes {
    private Hashes() {}

    /** Families of near-duplicates: few, so that most lists have several hashes of one. */
    private static final int FAMILIES = 3;

    /**
     * Returns hashes with one of a few digests, any flags, and a complete, partial, empty or missing signature. Many
     * share some or all shingles with others, like the mails of a campaign.
     */
    public static Arbitrary<StoredHash> any() {
        Arbitrary<List<FlagValue>> flags = Combinators
                .combine(Arbitraries.oneOf(Arbitraries.integers().between(0, 12), Arbitraries.integers()),
                        Arbitraries.longs(), Arbitraries.longs().between(-5, 4_000_000_000L))
                .as(FlagValue::new).list().ofMinSize(1).ofMaxSize(12).map(Hashes::arranged);
        return Combinators.combine(Arbitraries.longs().between(1, 40), flags, Arbitraries.integers().between(0, 9),
                Arbitraries.integers(), Arbitraries.longs().between(0, 4_000_000_000L))
                .as((n, values, kind, mask, renewed) -> new StoredHash(Samples.digest(n), values,
                        signature(n, kind, mask), kind == 0 ? renewed : 0));
    }

    private static @Nullable Signature signature(long n, int kind, int mask) {
        return switch (kind) {
            case 0, 1, 2 -> null;
            case 3 -> partial(n, mask);
            case 4 -> partial(n, 0);
            case 5, 6 -> near(n, n % FAMILIES, mask);
            case 7 -> Samples.signature(family(n % FAMILIES));
            default -> Samples.signature(n);
        };
    }

    private static long family(long number) {
        return 1_000_000 + number;
    }

    /**
     * Returns the signature of a family of near duplicates, with the values of hash {@code n} in the slots of a mask.
     */
    public static Signature near(long n, long number, int mask) {
        long[] values = Samples.shingles(family(number));
        long[] own = Samples.shingles(n);
        for (int i = 0; i < values.length; i++) {
            if (((mask >>> i) & 1) != 0) {
                values[i] = own[i];
            }
        }
        return Signature.of(values, 0).withSides(n % 4 == 1 ? new HtmlSides(n, n + 1, n + 2) : null);
    }

    /** Returns a signature with the known slots of a mask, and zeros in the others. */
    public static Signature partial(long n, int mask) {
        long[] values = Samples.shingles(n);
        for (int i = 0; i < values.length; i++) {
            if (((mask >>> i) & 1) == 0) {
                values[i] = 0;
            }
        }
        return Signature.partial(values, 0, mask);
    }

    private static List<FlagValue> arranged(List<FlagValue> values) {
        Set<Integer> seen = new HashSet<>();
        List<FlagValue> distinct = new ArrayList<>();
        values.forEach(value -> {
            if (seen.add(value.flag())) {
                distinct.add(value);
            }
        });
        return Flags.arrange(distinct.getFirst(), distinct.subList(1, distinct.size()));
    }

    /** Returns the first hash of each digest. */
    public static List<StoredHash> distinct(List<StoredHash> hashes) {
        Set<Digest> seen = new HashSet<>();
        return hashes.stream().filter(hash -> seen.add(hash.digest())).toList();
    }

    /** Returns the hashes as Rspamd's tables contain them: each shingle belongs to the last hash that has it. */
    public static List<StoredHash> inRspamdsTables(List<StoredHash> hashes) {
        Map<List<Long>, Digest> owners = new HashMap<>();
        hashes.forEach(hash -> slots(hash).forEach(slot -> owners.put(slot, hash.digest())));
        List<StoredHash> left = new ArrayList<>();
        for (StoredHash hash : hashes) {
            long[] values = new long[Signature.SLOTS];
            int mask = 0;
            for (List<Long> slot : slots(hash)) {
                if (Objects.equals(owners.get(slot), hash.digest())) {
                    values[slot.getFirst().intValue()] = slot.getLast();
                    mask |= 1 << slot.getFirst();
                }
            }
            left.add(new StoredHash(hash.digest(), List.of(hash.flags().getFirst()),
                    mask == 0 ? null : Signature.partial(values, 0, mask)));
        }
        return left;
    }

    /** Returns number and value of each shingle of a hash. */
    private static List<List<Long>> slots(StoredHash hash) {
        List<List<Long>> slots = new ArrayList<>();
        Signature signature = hash.signature();
        for (int i = 0; signature != null && i < Signature.SLOTS; i++) {
            if (signature.has(i)) {
                slots.add(List.of((long) i, signature.value(i)));
            }
        }
        return slots;
    }

    /** Returns the number of shingles of all hashes. */
    public static long shingles(List<StoredHash> hashes) {
        return hashes.stream().mapToLong(hash -> slots(hash).size()).sum();
    }
}
