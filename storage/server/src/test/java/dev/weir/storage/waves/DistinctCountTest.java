package dev.weir.storage.waves;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.util.SplittableRandom;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

class DistinctCountTest {
    @Property(tries = 50)
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
}
