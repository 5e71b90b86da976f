package dev.weir.storage.waves;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SlotIndexTest {
    private static final int SLOTS = 300;

    private record Mail(Digest digest, @Nullable Signature signature) {
        long[] words() {
            long[] words = new long[Digest.WORDS];
            digest.copyTo(words, 0);
            return words;
        }

        long @Nullable [] shingles() {
            if (signature == null) {
                return null;
            }
            long[] shingles = new long[Signature.SLOTS];
            signature.copyTo(shingles, 0);
            return shingles;
        }

        int shared(Mail other) {
            int shared = 0;
            for (int i = 0; signature != null && other.signature != null && i < Signature.SLOTS; i++) {
                shared += signature.value(i) == other.signature.value(i) ? 1 : 0;
            }
            return shared;
        }
    }

    private static SlotIndex index(long seed, int slots) {
        return new SlotIndex(new KeyedHash(seed, 3), slots, new SplittableRandom(seed));
    }

    private static long[] digest(long number) {
        long[] words = new long[Digest.WORDS];
        Samples.digest(number).copyTo(words, 0);
        return words;
    }

    /** What is found is what a comparison with each mail finds, whatever was put and removed before. */
    @Property(tries = 60, seed = "42")
    void findsWhatAComparisonFinds(@ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int texts,
            @ForAll @IntRange(min = 8, max = 17) int threshold) {
        SplittableRandom random = new SplittableRandom(seed);
        SlotIndex index = index(seed, SLOTS);
        Map<Integer, Mail> mails = new HashMap<>();
        for (int i = 0; i < 800; i++) {
            long text = random.nextInt(texts);
            Mail mail = new Mail(Samples.digest(random.nextInt(400)), random.nextInt(10) == 0
                    ? null
                    : Signature.of(Samples.changed(Samples.shingles(text), random.nextInt(24), random), 0));
            check(index, mails, mail, threshold);
            int slot = random.nextInt(SLOTS);
            if (mails.remove(slot) != null) {
                index.remove(slot);
            }
            // As in a table, no digest is there twice, and no more mails share a pair than a bucket has numbers.
            if (mails.size() < 5 * texts
                    && mails.values().stream().noneMatch(there -> there.digest().equals(mail.digest()))) {
                index.put(slot, mail.words(), mail.shingles());
                mails.put(slot, mail);
            }
        }
        List.copyOf(mails.keySet()).forEach(index::remove);
        mails.values().forEach(mail -> assertThat(index.find(mail.words(), mail.shingles(), threshold))
                .isEqualTo(SlotIndex.NONE));
    }

    private static void check(SlotIndex index, Map<Integer, Mail> mails, Mail mail, int threshold) {
        int found = index.find(mail.words(), mail.shingles(), threshold);
        for (Map.Entry<Integer, Mail> one : mails.entrySet()) {
            if (one.getValue().digest().equals(mail.digest())) {
                assertThat(found).isEqualTo(one.getKey());
                assertThat(index.equalSlots()).isEqualTo(SlotIndex.EXACT);
                assertThat(index.digest(found)).isEqualTo(mail.digest());
                return;
            }
        }
        int most = mails.values().stream().mapToInt(mail::shared).max().orElse(0);
        if (found != SlotIndex.NONE) {
            int shared = mail.shared(Objects.requireNonNull(mails.get(found)));
            assertThat(index.equalSlots()).isEqualTo(shared).isBetween(threshold, most);
        }
        // Fewer equal shingles may share no pair.
        if (most > 16) {
            assertThat(index.equalSlots()).isEqualTo(most);
        }
    }

    @Test
    void aFullIndexFindsAllOfItsMails() {
        int slots = 20_000;
        SlotIndex index = index(1, slots);
        for (int round = 0; round < 3; round++) {
            for (int slot = 0; slot < slots; slot++) {
                if (round > 0) {
                    index.remove(slot);
                }
                long number = (long) round * slots + slot;
                index.put(slot, digest(number), Samples.shingles(number));
            }
        }
        SplittableRandom random = new SplittableRandom(1);
        List<Integer> lost = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            long number = 2L * slots + slot;
            if (index.find(digest(-1 - number), Samples.changed(Samples.shingles(number), 12, random), 17) != slot) {
                lost.add(slot);
            }
            assertThat(index.find(digest(number), null, 17)).isIn(slot, SlotIndex.NONE);
        }
        assertThat(lost).as("mails of which twelve shingles changed").hasSizeLessThan(slots / 2_000);
        assertThat(index.find(digest(0), Samples.shingles(0), 17)).as("a mail that was removed")
                .isEqualTo(SlotIndex.NONE);
    }

    /** A footer that thousands of mails share fills the buckets of its pairs, and no others. */
    @Test
    void mailsThatShareAPairHideNoOthers() {
        int slots = 20_000;
        SlotIndex index = index(2, slots);
        index.put(0, digest(0), Samples.shingles(0));
        SplittableRandom random = new SplittableRandom(2);
        for (int slot = 1; slot < slots; slot++) {
            // Two of 32 shingles are those of the first mail: one pair.
            long[] shingles = Samples.shingles(slot);
            System.arraycopy(Samples.shingles(0), 4, shingles, 4, 2);
            index.put(slot, digest(slot), shingles);
        }
        assertThat(index.find(digest(-1), Samples.changed(Samples.shingles(0), 10, random), 17)).isZero();
        for (int slot = 1; slot < slots; slot += 100) {
            long[] shingles = Samples.shingles(slot);
            System.arraycopy(Samples.shingles(0), 4, shingles, 4, 2);
            assertThat(index.find(digest(-1), shingles, 17)).isEqualTo(slot);
        }
    }
}
