package dev.weir.storage.hits;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.index.StoredSignature;
import dev.weir.storage.sampling.CountCurve;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class HitSamplerTest {
    private static final long STORAGE = 42;
    private static final long HOUR = 3_600_000;
    private static final long START = 1_000 * HOUR;

    private final HashIndex index = new HashIndex(new KeyedHash(1, 2));
    private final HitSampler sampler = new HitSampler();
    private final HitRing ring = sampler.newRing();

    private IndexMatch match(long digest) {
        index.apply(Samples.write(digest, 1, 1, 100, Samples.signature(digest)));
        return found(digest);
    }

    private IndexMatch found(long digest) {
        Lookup lookup = new Lookup();
        Samples.digest(digest).copyTo(lookup.digest(), 0);
        lookup.hasShingles(false);
        assertThat(index.find(lookup, 0)).isTrue();
        return lookup.match();
    }

    @Test
    void hitsAreCountedByMinuteAndHour() {
        IndexMatch one = match(1);
        ring.record(one);
        ring.record(one);
        sampler.collect(START);
        ring.record(one);
        sampler.collect(START + 90_000);
        ring.record(match(2));
        sampler.collect(START + 2 * HOUR);
        List<HitTable.Hits> day = sampler.table().top(10, true, START + 2 * HOUR);
        assertThat(day).extracting(HitTable.Hits::digest).containsExactly(Samples.digest(1), Samples.digest(2));
        assertThat(day.getFirst().day()).isEqualTo(3);
        assertThat(day.getFirst().hour()).isZero();
        assertThat(day.getFirst().hours().get(21)).isEqualTo(3);
        assertThat(day.getFirst().firstMillis()).isEqualTo(START);
        assertThat(day.getFirst().lastMillis()).isEqualTo(START + 90_000);
        assertThat(sampler.table().top(10, false, START + 2 * HOUR)).extracting(HitTable.Hits::digest)
                .containsExactly(Samples.digest(2));
        assertThat(sampler.table().top(10, true, START + 30 * HOUR)).as("a day later").isEmpty();
    }

    @Test
    void countsOutliveTheProcess(@TempDir Path folder) throws Exception {
        StateFile file = new StateFiles(folder, InstantSource.system()).file(HitSampler.FORMAT, STORAGE);
        new HitSampler().load(file);
        IndexMatch one = match(1);
        ring.record(one);
        sampler.collect(START);
        ring.record(one);
        ring.record(match(2));
        sampler.collect(START + 90_000);
        sampler.save(file);
        sampler.save(file);
        HitSampler next = new HitSampler();
        next.load(file);
        assertThat(next.table().top(10, true, START + 90_000)).hasSize(2)
                .isEqualTo(sampler.table().top(10, true, START + 90_000));
        HitRing nextRing = next.newRing();
        nextRing.record(found(2));
        next.collect(START + 2 * HOUR);
        assertThat(next.table().of(Samples.digest(2), START + 2 * HOUR).orElseThrow().day()).isEqualTo(2);
        assertThat(next.table().of(Samples.digest(1), START + 2 * HOUR).orElseThrow().hour()).isZero();
    }

    @Test
    void aFlippedBitIsReportedAndTheCountsStartFromZero(@TempDir Path folder) throws Exception {
        StateFiles files = new StateFiles(folder, InstantSource.system());
        StateFile file = files.file(HitSampler.FORMAT, STORAGE);
        for (int i = 0; i < 50; i++) {
            ring.record(match(i));
        }
        sampler.collect(START);
        sampler.save(file);
        byte[] bytes = Files.readAllBytes(file.place());
        int damages = 0;
        for (int i = 0; i < bytes.length; i += 41) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1;
            if (i % 2 == 0) {
                damaged = Arrays.copyOf(bytes, i);
            }
            Files.write(file.place(), damaged);
            HitSampler next = new HitSampler();
            next.load(file);
            assertThat(next.table().top(100, true, START)).isEmpty();
            assertThat(files.troubles()).hasSize(++damages);
        }
    }

    @Test
    void countsOfAnEarlierVersionAreRead(@TempDir Path folder) throws Exception {
        StateFiles files = new StateFiles(folder, InstantSource.system());
        StateFile file = files.file(HitSampler.FORMAT, STORAGE);
        ring.record(match(1));
        sampler.collect(START);
        sampler.save(file);
        // Version 1 was the content without the first line.
        Files.write(file.place(), file.read().orElseThrow());
        HitSampler next = new HitSampler();
        next.load(file);
        assertThat(next.table().top(100, true, START)).hasSize(1);
        assertThat(files.troubles()).isEmpty();
    }

    @Test
    void aHighRateIsSampledWithoutBias() {
        IndexMatch often = match(1);
        IndexMatch seldom = match(2);
        SplittableRandom random = new SplittableRandom(3);
        long shown = 0;
        for (int second = 0; second < 60; second++) {
            for (int i = 0; i < 20_000; i++) {
                boolean rare = random.nextInt(10) == 0;
                ring.record(rare ? seldom : often);
            }
            sampler.collect(START + second * 1000L);
            if (second == 10) {
                // The share has adapted by now.
                shown = ring.missed();
            }
        }
        assertThat(ring.missed()).isEqualTo(shown);
        long all = 60 * 20_000;
        List<HitTable.Hits> top = sampler.table().top(10, true, START + 60_000);
        assertThat(top.get(0).day() / (double) all).isCloseTo(0.9, within(0.1));
        assertThat(top.get(1).day() / (double) all).isCloseTo(0.1, within(0.03));
    }

    @Test
    void frequentHashesSurviveAFloodOfOthers() {
        long minute = START / CountCurve.MINUTE_MILLIS;
        HitTable table = sampler.table();
        long[] words = new long[Digest.WORDS];
        Samples.digest(1).copyTo(words, 0);
        table.add(words, 0, 100, minute, START);
        for (int i = 2; i < 20_000; i++) {
            Samples.digest(i).copyTo(words, 0);
            table.add(words, 0, 1, minute, START);
        }
        assertThat(table.top(1, true, START).getFirst().digest()).isEqualTo(Samples.digest(1));
        assertThat(table.top(Integer.MAX_VALUE, true, START)).hasSizeLessThanOrEqualTo(HitTable.MOST);
    }

    @Test
    void nearDuplicatesFormAFamily() {
        SplittableRandom random = new SplittableRandom(1);
        index.apply(Samples.write(1, 1, 1, 100, Samples.signature(1)));
        index.apply(Samples.write(2, 1, 1, 100, Signature.of(Samples.changed(Samples.shingles(1), 8, random), 0)));
        index.apply(Samples.write(3, 1, 1, 100, Samples.signature(3)));
        index.apply(Samples.write(4, 1, 1, 100, null));
        for (long digest : new long[]{1, 2, 2, 3, 4}) {
            ring.record(found(digest));
        }
        sampler.collect(START);
        List<HashFamilies.Family> families = HashFamilies.of(sampler.table().top(10, false, START), index, false);
        assertThat(families).hasSize(3);
        assertThat(families.getFirst().members()).extracting(HitTable.Hits::digest)
                .containsExactly(Samples.digest(2), Samples.digest(1));
        assertThat(families.getFirst().hour()).isEqualTo(3);
    }

    @Test
    void digestsAreFoundByTheirBeginning() {
        for (int i = 1; i <= 20_000; i++) {
            index.apply(Samples.write(i, 1, 1, 100, i % 2 == 0 ? Samples.signature(i) : null));
        }
        for (int n : new int[]{1, 2, 19_999, 20_000}) {
            String hex = Samples.digest(n).hex();
            assertThat(index.withPrefix(hex.substring(0, 10), 10)).contains(Samples.digest(n));
            assertThat(index.withPrefix(hex, 10)).containsExactly(Samples.digest(n));
            assertThat(index.withPrefix(hex.substring(0, 1), 5)).hasSize(5)
                    .allMatch(digest -> digest.hex().startsWith(hex.substring(0, 1)));
        }
        index.apply(new dev.weir.model.Update.DeleteAll(Samples.digest(2)));
        assertThat(index.withPrefix(Samples.digest(2).hex(), 10)).isEmpty();
    }

    @Test
    void equalSlotsAreThoseOfTheShingles() {
        index.apply(Samples.write(1, 1, 1, 100, Samples.signature(1)));
        long[] shingles = Samples.shingles(1);
        shingles[0]++;
        shingles[31]++;
        shingles[6]++;
        StoredSignature stored = Objects.requireNonNull(index.signature(Samples.digest(1)));
        assertThat(stored.slotsEqualTo(index.signature(Signature.of(shingles, 0))))
                .isEqualTo(~(1 | 1 << 31 | 1 << 6));
    }
}
