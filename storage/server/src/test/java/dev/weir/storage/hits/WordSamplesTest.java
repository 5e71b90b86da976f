package dev.weir.storage.hits;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

import dev.weir.model.Digest;
import dev.weir.storage.Samples;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class WordSamplesTest {
    private static final Digest ONE = Samples.digest(1);
    private static final Digest TWO = Samples.digest(2);

    private final long[] now = {1_000_000_000_000L};
    private final InstantSource clock = () -> Instant.ofEpochMilli(now[0]);
    private final WordSamples samples = new WordSamples(clock);
    private StateFile place = new StateFile(new StateFiles(Path.of(""), clock), WordSamples.FORMAT, 42);
    private Path file = Path.of("");

    @BeforeEach
    void file(@TempDir Path folder) {
        place = new StateFiles(folder, clock).file(WordSamples.FORMAT, 42);
        file = place.place();
    }

    private WordSamples reopened() {
        WordSamples again = new WordSamples(clock);
        again.load(place);
        again.keepFor(Duration.ofDays(7));
        return again;
    }

    @Test
    void nothingIsKeptByDefault() throws IOException {
        assertThat(samples.lacks(ONE)).isFalse();
        samples.keep(ONE, "subject", "words");
        samples.save(place, _ -> true);
        assertThat(file).doesNotExist();
    }

    @Test
    void aSampleOutlivesTheProcessInAFileOfTheOwner() throws IOException {
        samples.keepFor(Duration.ofDays(7));
        samples.keep(ONE, "an\toffer\n", "  watches\u0000 for\r\n you " + "é".repeat(300));
        samples.save(place, _ -> true);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
        WordSamples again = reopened();
        assertThat(again.lacks(ONE)).isFalse();
        WordSamples.Sample sample = again.of(ONE).orElseThrow();
        assertThat(sample.subject()).isEqualTo("an offer");
        assertThat(sample.words()).startsWith("watches for you éé").hasSize(WordSamples.LONGEST);
    }

    @Test
    void aSampleExpiresAndGoesWithItsHash() throws IOException {
        samples.keepFor(Duration.ofDays(7));
        samples.keep(ONE, "", "one");
        samples.keep(TWO, "", "two");
        samples.save(place, TWO::equals);
        assertThat(samples.of(ONE)).as("its hash was forgotten").isEmpty();
        assertThat(samples.of(TWO)).isPresent();
        now[0] += Duration.ofDays(7).toMillis();
        assertThat(samples.of(TWO)).isEmpty();
        samples.save(place, _ -> true);
        assertThat(file).doesNotExist();
    }

    @Test
    void theOldestMakesRoomAndAllGoWhenTheOperatorSaysSo() throws IOException {
        samples.keepFor(Duration.ofDays(7));
        for (int i = 0; i <= WordSamples.MOST; i++) {
            samples.keep(Samples.digest(i), "s".repeat(1_000), "\ud83d\ude00".repeat(1_000));
        }
        assertThat(samples.of(Samples.digest(0))).isEmpty();
        assertThat(samples.of(ONE)).isPresent();
        samples.save(place, _ -> true);
        assertThat(Files.size(file)).isLessThan(2_000_000);
        assertThat(reopened().of(Samples.digest(WordSamples.MOST))).as("a full file is read").isPresent();
        samples.keepFor(Duration.ZERO);
        assertThat(samples.of(ONE)).isEmpty();
        samples.save(place, _ -> true);
        assertThat(file).doesNotExist();
    }

    @Test
    void aFileOfAnEarlierVersionIsReadAsFarAsItGoes() throws IOException {
        Files.writeString(file, ONE.hex() + "\tsoon\tx\ty\n" + ONE.hex() + "\t" + Long.MAX_VALUE
                + "\tof tomorrow\twords\n\n", StandardCharsets.UTF_8);
        WordSamples again = reopened();
        assertThat(again.of(ONE).orElseThrow().subject()).isEqualTo("of tomorrow");
        now[0] += Duration.ofDays(7).toMillis();
        assertThat(again.of(ONE)).as("a time in the future counts as now").isEmpty();
        Files.write(file, new byte[3 << 20]);
        assertThat(reopened().lacks(ONE)).isTrue();
    }

    /** A copy of a damaged file would keep the words beyond their time. */
    @Test
    void aFileWithAFlippedBitIsReportedAndDeleted() throws IOException {
        samples.keepFor(Duration.ofDays(7));
        samples.keep(ONE, "", "one");
        samples.save(place, _ -> true);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length - 2] ^= 1;
        Files.write(file, bytes);
        assertThat(reopened().of(ONE)).isEmpty();
        assertThat(place.files().troubles()).hasSize(1);
        assertThat(file).doesNotExist();
        assertThat(file.resolveSibling("kept-aside")).doesNotExist();
    }
}
