package dev.weir.storage.index;

import java.util.List;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests with near duplicates that an adversary chose: the index must answer like a comparison with all hashes. */
class FamiliesPropertyTest {
    private static final int PAIRS = Signature.SLOTS / 2;

    private final Lookup lookup = new Lookup();

    /** The slots of a family's signature that a member does not share. */
    private enum Change {
        FIRST, LAST, EVEN, ODD, ONE_OF_EACH_PAIR, WHOLE_PAIRS, ANY;

        long[] apply(long[] base, int count, SplittableRandom random) {
            long[] values = base.clone();
            if (this == ANY) {
                return Samples.changed(base, count, random);
            }
            for (int i = 0; i < count; i++) {
                int slot = switch (this) {
                    case FIRST, ANY -> i;
                    case LAST -> Signature.SLOTS - 1 - i;
                    case EVEN -> 2 * i % Signature.SLOTS + 2 * i / Signature.SLOTS;
                    case ODD -> (2 * i + 1) % Signature.SLOTS - 2 * i / Signature.SLOTS;
                    case ONE_OF_EACH_PAIR -> i < PAIRS ? 2 * i + random.nextInt(2) : i - PAIRS;
                    case WHOLE_PAIRS -> (i % 2) + 2 * ((i / 2 * 5) % PAIRS);
                };
                // Few values, so that other members may have the same one.
                values[slot] = random.nextInt(3) == 0 ? random.nextInt(4) : random.nextLong();
            }
            return values;
        }
    }

    @Property(tries = 120, seed = "20260204")
    void findsTheBestOfAll(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        HashIndex index = new HashIndex(new KeyedHash(seed, 1));
        Model model = new Model();
        long[][] bases = {Samples.shingles(1), Samples.shingles(2), Samples.changed(Samples.shingles(1), 16, random)};
        for (int i = 0; i < 110; i++) {
            Signature signature = Signature.of(member(bases, random), 0);
            both(index, model, Samples.write(i, random.nextInt(2), random.nextInt(3), random.nextInt(3), signature));
            if (random.nextInt(4) == 0) {
                // Adds another flag, removes the digest, or removes it and adds it with another signature.
                int n = random.nextInt(i + 1);
                switch (random.nextInt(3)) {
                    case 0 -> both(index, model, Samples.write(n, 7, 1, 5, signature));
                    case 1 -> both(index, model, new Update.Delete(Samples.digest(n), random.nextInt(2)));
                    default -> {
                        both(index, model, new Update.DeleteAll(Samples.digest(n)));
                        both(index, model, Samples.write(n, 1, 2, 2, Signature.of(member(bases, random), 0)));
                    }
                }
            }
        }
        assertThat(index.crowded()).isZero();
        for (int i = 0; i < 60; i++) {
            long[] query = member(bases, random);
            assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(-1), query, Long.MIN_VALUE))
                    .isEqualTo(model.find(Samples.digest(-1), query, Long.MIN_VALUE));
        }
    }

    private static long[] member(long[][] bases, SplittableRandom random) {
        Change change = Change.values()[random.nextInt(Change.values().length)];
        return change.apply(bases[random.nextInt(bases.length)], random.nextInt(18), random);
    }

    private static void both(HashIndex index, Model model, Update update) {
        index.apply(update);
        model.apply(update);
    }

    /** A common footer must not displace hashes that have more in common. */
    @Test
    void aSharedValueHidesNoHash() {
        HashIndex index = new HashIndex(new KeyedHash(3, 4));
        SplittableRandom random = new SplittableRandom(1);
        int others = 5_000;
        for (int i = 0; i < others; i++) {
            long[] values = Samples.shingles(i);
            for (int slot = 0; slot < Signature.SLOTS; slot += 2) {
                values[slot] = slot;
            }
            index.apply(Samples.write(i, 1, 1, 100, Signature.of(values, 0)));
        }
        assertThat(index.crowded()).isZero();
        for (int i = 0; i < others; i += 50) {
            long[] query = Samples.changed(Samples.shingles(i), 0, random);
            for (int slot = 0; slot < Signature.SLOTS; slot += 2) {
                query[slot] = slot;
            }
            query[1] = 1;
            Model.Answer answer = HashIndexPropertyTest
                    .find(index, lookup, Samples.digest(-1), query, Long.MIN_VALUE).orElseThrow();
            assertThat(answer).isEqualTo(
                    new Model.Answer(Samples.digest(i), 31, List.of(new FlagValue(1, 1, 100))));
            assertThat(lookup.cost()).isLessThan(40);
        }
    }

    /** The family has three times as many hashes as a posting list: each hash is missing in some lists. */
    @Test
    void findsTheBestOfAFamilyLargerThanAPostingList() {
        HashIndex index = new HashIndex(new KeyedHash(9, 10));
        Model model = new Model();
        SplittableRandom random = new SplittableRandom(4);
        for (int i = 0; i < 3 * PostingTable.MAX_POSTINGS; i++) {
            both(index, model, Samples.write(i, 1, i % 7, 100,
                    Signature.of(Samples.changed(Samples.shingles(1), random.nextInt(5), random), 0)));
        }
        assertThat(index.crowded()).isPositive();
        for (int i = 0; i < 100; i++) {
            long[] query = Samples.changed(Samples.shingles(1), random.nextInt(4), random);
            int truth = model.find(Samples.digest(-1), query, Long.MIN_VALUE).orElseThrow().equalSlots();
            assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(-1), query, Long.MIN_VALUE)
                    .orElseThrow().equalSlots()).isEqualTo(truth);
        }
    }

    /** The best hash lost its place in seven of eight lists. The lookup reads all, because full lists prove nothing. */
    @Test
    void findsTheBestEvenIfMostListsReplacedIt() {
        int found = 0;
        int families = 60;
        HashIndex index = new HashIndex(new KeyedHash(11, 12));
        SplittableRandom random = new SplittableRandom(5);
        for (int family = 0; family < families; family++) {
            long[] text = Samples.shingles(-1_000 - family);
            int best = family * 1_000;
            index.apply(Samples.write(best, 1, 1, 100, Signature.of(Samples.changed(text, 1, random), 0)));
            for (int i = 1; i <= 3 * PostingTable.MAX_POSTINGS; i++) {
                index.apply(Samples.write(best + i, 1, 1, 100, Signature.of(Samples.changed(text, 4, random), 0)));
            }
            Model.Answer answer = HashIndexPropertyTest
                    .find(index, lookup, Samples.digest(-1), text, Long.MIN_VALUE).orElseThrow();
            found += answer.equalSlots() == 31 ? 1 : 0;
        }
        // It stays in a list with a probability of 1/8, so in one of 15 lists with 0.87, in one of five only with 0.5.
        assertThat(found).isGreaterThan(families * 3 / 4);
    }

    /**
     * An attacker fills all lists of one text. A check of it costs 16 full lists; a check of another text costs
     * nothing.
     */
    @Test
    void boundsTheCostOfFlooding() {
        HashIndex index = new HashIndex(new KeyedHash(5, 6));
        SplittableRandom random = new SplittableRandom(2);
        long[] victim = Samples.shingles(-7);
        int flood = 20_000;
        for (int i = 0; i < flood; i++) {
            index.apply(Samples.write(i, 1, 1, 100, Signature.of(Samples.changed(victim, 2, random), 0)));
        }
        assertThat(index.crowded()).isPositive();
        assertThat(HashIndexPropertyTest.find(index, lookup, Samples.digest(-1), victim, Long.MIN_VALUE)).isPresent();
        int lists = PAIRS * PostingTable.MAX_POSTINGS;
        int blocks = PAIRS * (2 + 1000 / HashBucket.ENTRIES);
        assertThat(lookup.cost()).isLessThan(lists + blocks);

        int worst = 0;
        for (int i = 0; i < 5_000; i++) {
            HashIndexPropertyTest.find(index, lookup, Samples.digest(-1), Samples.shingles(flood + i), Long.MIN_VALUE);
            worst = Math.max(worst, lookup.cost());
        }
        // It may have to read the whole overflow chain of a bucket that it shares with a full list.
        assertThat(worst).isLessThan(100);
        // Digests that differ only in one bit or in order spread like others.
        long[] words = new long[Digest.WORDS];
        for (int i = 0; i < flood; i++) {
            words[i % Digest.WORDS] = 1L << (i % 61);
            words[7] = i;
            index.apply(new Update.Write(Digest.ofWords(words, 0), 1, 1, 100, null));
        }
        for (int i = 0; i < 1_000; i++) {
            HashIndexPropertyTest.find(index, lookup, Samples.digest(-i), null, Long.MIN_VALUE);
            assertThat(lookup.cost()).isLessThan(8);
        }
    }
}
