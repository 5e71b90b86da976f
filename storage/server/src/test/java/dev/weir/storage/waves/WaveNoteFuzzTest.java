package dev.weir.storage.waves;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.GZIPOutputStream;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFiles;
import dev.weir.testkit.TestFolders;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with arbitrary notes of other nodes, and arbitrary files. Whatever they say, the table stays usable and within
 * its bound.
 */
class WaveNoteFuzzTest {
    private static final WaveSettings SETTINGS = WaveSettings.counting().withTable(1_000, Duration.ofHours(1))
            .answering(60, new WaveSettings.Size(2, 1, Duration.ofHours(1)));
    private static final int HOURS = 24;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-29T10:00:30Z"));

    @FuzzTest
    void refusesOrTakesAnyBytes(byte[] data) {
        try {
            WaveNote.unpack(data, HOURS);
        } catch (IOException refused) {
            // Nearly all: a node for each of them would leave the fuzzer little time.
            return;
        }
        take(data);
    }

    /** The frame is sound, so that more of the rest is read. */
    @FuzzTest
    void refusesOrTakesAnyGroups(byte[] data) throws IOException {
        byte[] content = packed(data);
        CRC32C sum = new CRC32C();
        sum.update(content);
        refusesOrTakesAnyBytes(ByteBuffer.allocate(8 + content.length).putInt(0x57574e31)
                .putInt((int) sum.getValue()).put(content).array());
    }

    /** A file of an earlier process whose checksum is right. */
    @FuzzTest
    void startsWithAFileOfAnyGroups(byte[] data) throws IOException {
        byte[] content = packed(data);
        try {
            content = WaveFile.pack(WaveFile.unpack(content, HOURS, WaveFile.MOST));
        } catch (IOException refused) {
            return;
        }
        Path folder = TestFolders.make("waves-fuzz-");
        StateFile file = new StateFiles(folder, now::get).file(Waves.FORMAT, 42);
        try {
            file.write(content);
            CountingNode node = new CountingNode(SETTINGS, now, 1);
            node.waves.load(file);
            staysUsable(node);
            node.waves.save(file);
        } finally {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path one : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(one);
                }
            }
        }
    }

    /** Returns the content of a file or a note with one group. */
    private static byte[] packed(byte[] group) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            // The oldest possible key, which a first note brings.
            out.write(new byte[3 * Long.BYTES]);
            out.write(ByteBuffer.allocate(Integer.BYTES).putInt(1).array());
            out.write(group);
        }
        return packed.toByteArray();
    }

    private void take(byte[] note) {
        CountingNode node = new CountingNode(SETTINGS, now, 1);
        node.waves.read("redis 2", true, note);
        node.waves.read("redis 2", true, note);
        staysUsable(node);
    }

    private static void staysUsable(CountingNode node) {
        node.think();
        for (int i = 0; i < 3; i++) {
            node.copy(1, 5, "192.0.2.1");
        }
        node.think();
        assertThat(node.waves.top(Waves.Order.DAY, 10)).anySatisfy(wave -> {
            assertThat(wave.checks()).isPositive();
            assertThat(wave.clients()).isNotNegative();
        });
        WaveFigures figures = node.waves.figures();
        assertThat(figures.groups()).isBetween(1, 1 + 1_000 / 16);
        assertThat(figures.bytes()).isLessThanOrEqualTo(figures.mostBytes());
        assertThat(node.waves.write(_ -> false)).isNotEmpty();
    }
}
