package dev.weir.storage.waves;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

class DistinctCountTest {
    @Property(tries = 50, seed = "42")
    void smallNumbersAreExact(@ForAll long seed, @ForAll @IntRange(min = 0, max = DistinctCount.EXACT) int values) {
        SplittableRandom random = new SplittableRandom(seed);
        DistinctCount count = new DistinctCount();
        for (int i = 0; i < values; i++) {
            int value = 1 + random.nextInt(Integer.MAX_VALUE - 1);
            count.add(value);
            count.add(value);
        }
        count.add(0);
        assertThat(count.count()).isEqualTo(values);
    }

    @Test
    void greaterNumbersAreEstimatedWithinTheStatedError() {
        for (int values : new int[]{50, 1_000, 50_000}) {
            double squares = 0;
            int runs = 200;
            for (int run = 0; run < runs; run++) {
                SplittableRandom random = new SplittableRandom(run);
                DistinctCount count = new DistinctCount();
                for (int i = 0; i < values; i++) {
                    count.add(random.nextInt());
                }
                double error = count.count() / (double) values - 1;
                squares += error * error;
            }
            assertThat(Math.sqrt(squares / runs)).as("standard error of %d", values).isLessThan(0.08);
        }
    }

    @Test
    void countsOutliveTheProcess() throws Exception {
        for (int values : new int[]{0, 5, 200}) {
            DistinctCount count = new DistinctCount();
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < values; i++) {
                count.add(random.nextInt());
            }
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            count.write(new DataOutputStream(bytes));
            DistinctCount read = DistinctCount.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray())));
            assertThat(read.count()).isEqualTo(count.count()).isCloseTo(values, withinPercentage(25));
            SplittableRandom again = new SplittableRandom(1);
            for (int i = 0; i < values; i++) {
                read.add(again.nextInt());
            }
            assertThat(read.count()).as("nothing new").isEqualTo(count.count());
        }
    }

    @Test
    void aUnionCountsWhatBothHaveOnce() {
        for (int size : new int[]{3, 8, 9, 200, 5_000}) {
            DistinctCount one = new DistinctCount();
            DistinctCount other = new DistinctCount();
            for (int i = 1; i <= size; i++) {
                one.add(i * 0x9e3779b9);
                other.add((i + size / 2) * 0x9e3779b9);
            }
            int right = size + size / 2;
            DistinctCount both = new DistinctCount();
            both.merge(one);
            both.merge(other);
            assertThat(both.count()).as("%d", size).isBetween(right * 3 / 4, right * 5 / 4 + 1);
            both.merge(both);
            both.merge(one);
            assertThat(both.count()).as("again").isBetween(right * 3 / 4, right * 5 / 4 + 1);
        }
    }

    /** Another node, or a damaged one, may send any bytes as a sketch. */
    @Test
    void anySketchCanBeMerged() throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < 2_000; i++) {
            byte[] bytes = new byte[1 + DistinctCount.SKETCH_BYTES];
            for (int at = 0; at < bytes.length; at++) {
                bytes[at] = i % 3 == 0 ? (byte) -random.nextInt(2) : (byte) random.nextInt();
            }
            bytes[0] = DistinctCount.EXACT + 1;
            DistinctCount odd = DistinctCount.read(new DataInputStream(new ByteArrayInputStream(bytes)));
            assertThat(odd.count()).isPositive();
            DistinctCount sum = new DistinctCount();
            sum.add(1);
            sum.merge(odd);
            sum.add(2);
            odd.merge(sum);
            assertThat(odd.count()).isPositive();
        }
    }
}
