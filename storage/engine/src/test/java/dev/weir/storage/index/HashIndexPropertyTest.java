package dev.weir.storage.index;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that the index answers like a comparison with all hashes, for any sequence of updates. */
class HashIndexPropertyTest {
    private static final int FAMILIES = 4;
    private static final int DIGESTS = 90;
    private static final int STEPS = 400;

    @Property(tries = 150, seed = "20260101")
    void answersLikeAComparisonWithAllHashes(@ForAll long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        HashIndex index = new HashIndex(new KeyedHash(seed, ~seed));
        Model model = new Model();
        Lookup lookup = new Lookup();
        long now = 1_700_000_000L;
        for (int step = 0; step < STEPS; step++) {
            now += random.nextInt(3);
            int action = random.nextInt(20);
            if (action < 10) {
                Update update = write(random, now);
                index.apply(update);
                model.apply(update);
            } else if (action < 13) {
                Digest digest = Samples.digest(random.nextInt(DIGESTS));
                Update update = switch (random.nextInt(8)) {
                    case 0 -> new Update.DeleteAll(digest);
                    case 1, 2 -> new Update.Refresh(digest, now);
                    case 3, 4 -> new Update.Expire(digest, random.nextInt(4), now - random.nextInt(200));
                    default -> new Update.Delete(digest, random.nextInt(4));
                };
                index.apply(update);
                model.apply(update);
            } else if (action < 14) {
                StoredHash hash = partial(random, DIGESTS + step, now);
                index.load(hash);
                model.load(hash);
            } else {
                Digest digest = Samples.digest(random.nextInt(2 * DIGESTS));
                long[] shingles = random.nextInt(4) == 0 ? null : family(random);
                long oldest = random.nextBoolean() ? Long.MIN_VALUE : now - random.nextInt(200);
                assertThat(find(index, lookup, digest, shingles, oldest)).isEqualTo(model.find(digest, shingles, oldest)
                        .map(a -> new Model.Answer(a.digest(), a.equalSlots(), firstEight(a.flags()))));
            }
            assertThat(index.size()).isEqualTo(model.size());
            Digest some = Samples.digest(random.nextInt(DIGESTS));
            HashIndex.KnownHash known = index.known(some, lookup);
            assertThat(known == null ? null : known.sides()).isEqualTo(model.sides(some));
            if (step % 50 == 49) {
                sweep(index, model, now - random.nextInt(100), 1 + random.nextInt(40));
            }
        }
        assertThat(index.crowded()).isZero();
    }

    /** Removes all expired flags of the index. Afterwards it equals the model and has no expired flags. */
    private static void sweep(HashIndex index, Model model, long oldest, int portion) {
        List<Update.Expire> due = new ArrayList<>();
        int from = 0;
        do {
            from = index.collectExpired(from, portion, oldest, due);
        } while (from != 0);
        for (Update.Expire expire : due) {
            index.apply(expire);
            model.apply(expire);
        }
        assertThat(index.size()).isEqualTo(model.size());
        assertThat(model.all()).allSatisfy(hash -> assertThat(hash.flags())
                .allSatisfy(flag -> assertThat(Math.max(flag.time(), hash.renewed())).isGreaterThanOrEqualTo(oldest)));
        due.clear();
        assertThat(index.collectExpired(0, Integer.MAX_VALUE, oldest, due)).isZero();
        assertThat(due).isEmpty();
    }

    private static List<FlagValue> firstEight(List<FlagValue> flags) {
        return flags.subList(0, Math.min(8, flags.size()));
    }

    private static Update write(SplittableRandom random, long now) {
        int digest = random.nextInt(DIGESTS);
        Signature signature = random.nextInt(5) == 0
                ? null
                : Signature.of(family(random), 0).withSides(random.nextBoolean()
                        ? Samples.sides(random.nextInt(9))
                        : null);
        return Samples.write(digest, random.nextInt(4), random.nextInt(-3, 12), now, signature);
    }

    private static StoredHash partial(SplittableRandom random, int digest, long now) {
        return new StoredHash(Samples.digest(digest), List.of(new FlagValue(1, random.nextInt(20), now)),
                Signature.partial(family(random), 0, random.nextInt()));
    }

    private static long[] family(SplittableRandom random) {
        return Samples.changed(Samples.shingles(random.nextInt(FAMILIES)), random.nextInt(20), random);
    }

    static Optional<Model.Answer> find(HashIndex index, Lookup lookup, Digest digest, long @Nullable [] shingles,
            long oldest) {
        digest.copyTo(lookup.digest(), 0);
        lookup.hasShingles(shingles != null);
        if (shingles != null) {
            System.arraycopy(shingles, 0, lookup.shingles(), 0, shingles.length);
        }
        if (!index.find(lookup, oldest)) {
            return Optional.empty();
        }
        IndexMatch match = lookup.match();
        long[] words = new long[Digest.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = match.digestWord(i);
        }
        List<FlagValue> flags = new ArrayList<>();
        for (int i = 0; i < Math.min(8, match.flagCount()); i++) {
            flags.add(new FlagValue(match.flag(i), match.value(i), match.time(i)));
        }
        return Optional.of(new Model.Answer(Digest.ofWords(words, 0), match.equalSlots(), flags));
    }
}
