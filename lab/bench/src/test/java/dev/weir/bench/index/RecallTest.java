package dev.weir.bench.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RecallTest {

    @Test
    void theLastWriterHidesAnEarlierOneAndTheIndexDoesNot() {
        Recall recall = new Recall();
        SplittableRandom random = new SplittableRandom(1);
        long[] values = new long[32];
        Synthetic.shingles(7, values);
        recall.store(values);
        for (long n = 0; n < 20; n++) {
            Synthetic.similar(7, 24, random, values);
            recall.store(values);
        }
        Synthetic.shingles(7, values);
        recall.ask(values);
        Synthetic.shingles(8, values);
        recall.ask(values);
        assertThat(recall.size()).isEqualTo(21);
        assertThat(recall.crowded()).isZero();
        Recall.Row row = recall.row(17, 32);
        // The last of twenty owns the 24 values that it shares with the first, and is found in its place; nothing is
        // like the other text.
        assertThat(row).isEqualTo(new Recall.Row(1, 1, 1, 1, 0));
        assertThat(recall.row(32, 32)).isEqualTo(row);
    }

    @Test
    void copiesOfAMailAreSimilarAndNotAlike(@TempDir Path folder) throws IOException {
        for (int mail = 0; mail < 3; mail++) {
            StringBuilder text = new StringBuilder("From: a@example.org\nSubject: x\n\n");
            for (int i = 0; i < 300; i++) {
                text.append("word").append(Integer.toString(mail * 1000 + i, 36)).append(i % 9 == 8 ? '\n' : ' ');
            }
            Files.writeString(folder.resolve("mail" + mail), text);
        }
        Files.writeString(folder.resolve("short"), "Subject: x\n\nToo short.\n");
        Families families = Families.read(folder, 10);
        assertThat(families.size()).isEqualTo(3);
        SplittableRandom random = new SplittableRandom(1);
        long[] one = families.copy(0, 100, random).orElseThrow();
        long[] other = families.copy(0, 100, random).orElseThrow();
        assertThat(one).isNotEqualTo(other);
        Recall recall = new Recall();
        recall.store(one);
        recall.ask(other);
        assertThat(recall.row(17, 31).best()).isEqualTo(1);
    }

    @Test
    void growthIsMeasured() throws Exception {
        Growth growth = Growth.measure(5_000, true);
        Histogram updates = growth.updates();
        assertThat(updates.getTotalCount()).isEqualTo(5_000);
        assertThat(growth.growing().lookups().getTotalCount()).isPositive();
        assertThat(growth.expiring().lookups().getTotalCount()).isPositive();
    }
}
