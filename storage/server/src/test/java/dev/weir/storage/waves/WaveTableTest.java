package dev.weir.storage.waves;

import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

import dev.weir.model.KeyedHash;
import dev.weir.storage.Samples;
import dev.weir.storage.sampling.CountCurve;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class WaveTableTest {
    private static final long HOUR = 3_600_000;
    private static final long START = 1_000 * HOUR;
    private static final WaveSettings.Table SMALL = new WaveSettings.Table(1_000, Duration.ofDays(1));

    private final Misses misses = new Misses(1);

    private static WaveTable table(WaveSettings.Table size, long seed) {
        return new WaveTable(size, 17, new KeyedHash(seed, 2), new SplittableRandom(seed));
    }

    private static Wave only(WaveTable table) {
        List<Wave> waves = table.waves();
        assertThat(waves).hasSize(1);
        return waves.getFirst();
    }

    @Test
    void nearDuplicatesMakeAGroupWithItsCountsAndClients() {
        WaveTable table = table(SMALL, 1);
        table.take(misses.copy(1, 0, 11), START);
        table.take(misses.unique(11), START);
        assertThat(table.waves()).as("seen once").isEmpty();
        table.take(misses.copy(1, 15, 12), START + 30_000);
        table.take(misses.copy(1, 10, 12), START + 2 * HOUR);
        Wave wave = only(table);
        wave.curve.turn((START + 2 * HOUR) / CountCurve.MINUTE_MILLIS);
        assertThat(wave.curve.minutes(60)).isEqualTo(1);
        assertThat(wave.curve.hours(24)).isEqualTo(3);
        assertThat(wave.checks).isEqualTo(3);
        assertThat(wave.firstMillis).isEqualTo(START);
        assertThat(wave.lastMillis).isEqualTo(START + 2 * HOUR);
        assertThat(wave.clients.count()).isEqualTo(2);
        assertThat(wave.networks.count()).isEqualTo(1);
    }

    @Test
    void aGroupOfAnotherNodeDisplacesNoneOfThisOne() {
        WaveTable other = table(SMALL, 2);
        other.take(misses.copy(1, 0, 11), START);
        other.take(misses.copy(1, 0, 11), START);
        SavedWave told = SavedWave.of(only(other));
        WaveTable table = table(SMALL, 1);
        for (int text = 2; table.groups() < SMALL.signatures() / 16; text++) {
            table.take(misses.copy(text, 0, 11), START);
            table.take(misses.copy(text, 0, 11), START);
        }
        table.take(misses.copy(1, 0, 11), START);
        assertThat(table.join(told)).as("seen once here, and no room for a group").isNull();
        assertThat(table.displacedWaves()).isZero();
    }

    @Test
    void sixteenEqualShinglesAreAnotherText() {
        WaveTable table = table(SMALL, 1);
        table.take(misses.same(1, 11), START);
        table.take(misses.copy(1, 16, 12), START);
        assertThat(table.waves()).isEmpty();
    }

    @Test
    void aLowerThresholdGroupsMore() {
        WaveTable table = new WaveTable(SMALL, 10, new KeyedHash(3, 2), new SplittableRandom(1));
        table.take(misses.same(1, 11), START);
        for (int i = 0; i < 5; i++) {
            table.take(misses.copy(1, 20, 12), START);
        }
        assertThat(only(table).checks).isGreaterThanOrEqualTo(4);
    }

    @Test
    void digestsWithoutShinglesCount() {
        WaveTable table = table(SMALL, 1);
        for (int i = 0; i < 5; i++) {
            table.take(misses.plain(7, 20 + i), START);
        }
        Wave wave = only(table);
        assertThat(wave.checks).isEqualTo(5);
        assertThat(wave.members).singleElement().satisfies(member -> {
            assertThat(member.whole()).isTrue();
            assertThat(member.signature()).isNull();
        });
    }

    @Test
    void aGroupKeepsFewSignaturesAndTheyCanBeLearned() {
        WaveTable table = table(SMALL, 1);
        for (int i = 0; i < 100; i++) {
            table.take(misses.copy(1, 8, 30 + i), START);
        }
        Wave wave = only(table);
        assertThat(wave.checks).isEqualTo(100);
        assertThat(wave.members).hasSize(Wave.MOST_MEMBERS);
        assertThat(wave.members.stream().filter(Wave.Member::whole)).hasSize(Wave.MOST_MEMBERS - 1);
        assertThat(wave.leader().whole()).isTrue();
        assertThat(wave.name()).hasSize(Wave.NAME_DIGITS).isEqualTo(wave.name());
    }

    @Test
    void whatIsForgottenForLackOfRoomLeavesItsMark() {
        WaveTable table = table(SMALL, 1);
        table.take(misses.copy(1, 0, 51), START);
        for (int i = 0; i < 3_000; i++) {
            table.take(misses.unique(50), START + 1_000);
        }
        assertThat(table.displaced()).isPositive();
        table.take(misses.copy(1, 2, 12), START + 2_000);
        assertThat(table.revived()).isEqualTo(1);
        assertThat(only(table).checks).as("with the forgotten one").isEqualTo(2);
    }

    @Test
    void marksDoNotLastLongerThanTheTable() {
        WaveTable table = table(SMALL, 1);
        table.take(misses.copy(1, 0, 51), START);
        for (int i = 0; i < 3_000; i++) {
            table.take(misses.unique(50), START + 1_000);
        }
        for (int i = 0; i < 48; i++) {
            table.age(START + i * HOUR, 1 / 24.0);
        }
        table.take(misses.copy(1, 2, 12), START + 48 * HOUR);
        assertThat(table.waves()).as("two days apart").isEmpty();
    }

    @Test
    void whatIsOldIsForgotten() {
        WaveTable table = table(SMALL, 1);
        table.take(misses.copy(1, 0, 11), START);
        table.take(misses.copy(1, 1, 12), START);
        table.take(misses.unique(13), START);
        table.age(START + 23 * HOUR, 0);
        assertThat(table.signatures()).isEqualTo(3);
        table.age(START + 25 * HOUR, 0);
        assertThat(table.signatures()).isZero();
        assertThat(table.groups()).isZero();
    }

    @Test
    void aNetworkThatFloodsDisplacesItsOwn() {
        WaveTable table = table(SMALL, 1);
        for (int i = 0; i < 20; i++) {
            table.take(misses.copy(1_000 + i, 0, 100 + i), START);
        }
        table.take(misses.copy(1, 0, 100), START);
        table.take(misses.copy(1, 3, 130), START);
        for (int i = 0; i < 50_000; i++) {
            table.take(misses.unique(7), START + 1_000);
        }
        assertThat(table.signatures()).isEqualTo(1_000);
        assertThat(table.waves()).as("what was a group stays one").filteredOn(wave -> wave.clients.count() == 2)
                .hasSize(1);
        assertThat(table.revived()).as("new texts taken for known ones").isLessThan(50);
        for (int i = 0; i < 20; i++) {
            table.take(misses.copy(1_000 + i, 3, 200 + i), START + 2_000);
        }
        assertThat(table.waves()).as("what others saw once is known").filteredOn(wave -> wave.clients.count() == 2)
                .hasSize(21);
    }

    @Test
    void aFloodOfPairsFromOneNetworkKeepsWavesThatSeveralSee() {
        WaveTable table = table(SMALL, 1);
        for (int i = 0; i < 40; i++) {
            table.take(misses.copy(1, 3, 100 + 10 * i), START);
        }
        for (int i = 0; i < 20_000; i++) {
            long text = 50_000_000L + i;
            table.take(misses.same(text, 7), START + 1_000);
            table.take(misses.same(text, 7), START + 1_000);
            table.take(misses.same(text, 7), START + 1_000);
        }
        assertThat(table.groups()).isLessThanOrEqualTo(62);
        assertThat(table.waves()).anySatisfy(wave -> assertThat(wave.checks).isEqualTo(40));
    }

    /** Whatever comes: the bounds hold, and no place is lost or given twice. */
    @Property(tries = 30, seed = "42")
    void boundsHold(@ForAll long seed, @ForAll @IntRange(min = 1, max = 40) int texts,
            @ForAll @IntRange(min = 1, max = 3_000) int checks) {
        SplittableRandom random = new SplittableRandom(seed);
        Misses some = new Misses(seed);
        WaveTable table = table(SMALL, seed);
        long now = START;
        for (int i = 0; i < checks; i++) {
            now += random.nextInt(60_000);
            int client = 1 + random.nextInt(400);
            table.take(switch (random.nextInt(5)) {
                case 0 -> some.copy(random.nextInt(texts), random.nextInt(33), client);
                case 1 -> some.same(random.nextInt(texts), client);
                case 2 -> some.plain(random.nextInt(texts), client);
                default -> some.unique(client);
            }, now);
            if (random.nextInt(200) == 0) {
                table.age(now, 0.01);
            }
        }
        assertThat(table.signatures()).isBetween(1, SMALL.signatures());
        assertThat(table.groups()).isBetween(0, SMALL.signatures() / 16);
        assertThat(table.bytes()).isLessThanOrEqualTo(WaveTable.mostBytes(SMALL));
        Set<Integer> slots = new HashSet<>();
        for (Wave wave : table.waves()) {
            assertThat(wave.members).hasSizeBetween(1, Wave.MOST_MEMBERS);
            assertThat(wave.checks).isGreaterThanOrEqualTo(2);
            wave.members.forEach(member -> assertThat(slots.add(member.slot())).isTrue());
        }
        table.age(now + 48 * HOUR, 0);
        assertThat(table.signatures()).isZero();
    }

    /** With enough room, the counts are exact. */
    @Property(tries = 20, seed = "42")
    void countsAreExact(@ForAll long seed, @ForAll @IntRange(min = 1, max = 20) int texts) {
        SplittableRandom random = new SplittableRandom(seed);
        Misses some = new Misses(seed);
        WaveTable table = table(SMALL, seed);
        int[] counts = new int[texts];
        for (int i = 0; i < 500; i++) {
            int text = random.nextInt(texts);
            counts[text]++;
            // Two copies share at least 18 slots, whichever of them is kept.
            table.take(some.copy(text, 7, 1 + i), START + i);
        }
        long[] expected = Arrays.stream(counts).filter(count -> count > 1).asLongStream().sorted().toArray();
        assertThat(table.waves().stream().mapToLong(wave -> wave.checks).sorted().toArray()).isEqualTo(expected);
    }

    @Test
    @Tag("slow")
    void theStatedMemoryOfTheDefaultIsBelow200Megabytes() {
        long bytes = WaveTable.mostBytes(WaveSettings.counting().table());
        WaveTable table = table(WaveSettings.counting().table(), 1);
        for (int i = 0; i < 300_000; i++) {
            table.take(misses.unique(50 + i), START);
        }
        System.out.printf("a table of the default size, full of signatures: %d bytes, with groups at most %d%n",
                table.bytes(), bytes);
        assertThat(table.bytes()).isLessThan(bytes);
        assertThat(bytes).isBetween(100L << 20, 200_000_000L);
    }

    @Test
    void savedGroupsComeBack() {
        WaveTable table = table(SMALL, 1);
        for (int i = 0; i < 30; i++) {
            table.take(misses.copy(1, 6, 100 + i), START);
            table.take(misses.plain(7, 100 + i), START);
        }
        WaveTable other = table(SMALL, 2);
        other.restore(table.waves().stream().map(SavedWave::of).toList());
        assertThat(other.groups()).isEqualTo(2);
        other.take(misses.copy(1, 6, 500), START + HOUR);
        other.take(misses.plain(7, 500), START + HOUR);
        assertThat(other.waves()).extracting(wave -> wave.checks).containsOnly(31L);
        assertThat(Samples.digest(7)).isIn(other.waves().stream().map(wave -> wave.leader().digest()).toList());
    }
}
