package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.storage.StorageException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with arbitrary files of a log. It must open with consecutive revisions, and again with the same ones, or fail
 * with a message.
 */
class LogFuzzTest {
    private static final int MAX_FILE = 16_384;

    /** Any bytes as three segments. */
    @FuzzTest
    void acceptsOrRejectsAnyBytes(byte[] data) throws IOException {
        LogFixture fixture = new LogFixture();
        int third = Math.min(data.length / 3, MAX_FILE);
        for (int i = 0; i < 3; i++) {
            put(fixture, 1 + 4 * i, ByteBuffer.wrap(data, i * third, third));
        }
        check(fixture);
    }

    /** Sound headers, and behind them sound records with anything in them, and anything in between. */
    @FuzzTest
    void acceptsOrRejectsAnySoundRecords(byte[] data) throws IOException {
        LogFixture fixture = new LogFixture();
        ByteBuffer source = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        for (int file = 0; file < 3 && source.remaining() > 4; file++) {
            Segment segment = Segment.of(1 + Math.floorMod(source.getShort(), 20));
            ByteBuffer content = Records.buffer(MAX_FILE);
            content.put(segment.header(LogFixture.ID, new Segment.Header(0, LeaderEpoch.NONE, 0)));
            int count = source.get() & 15;
            for (int i = 0; i < count && content.remaining() > 2 * Records.MAX && source.remaining() > 4; i++) {
                record(source, content);
            }
            if (!fixture.disk.names().contains(segment.name())) {
                put(fixture, segment.first(), content.flip());
            }
        }
        check(fixture);
    }

    /** Writes a record of this version with two or more bytes changed before it was sealed. */
    private static void record(ByteBuffer source, ByteBuffer content) {
        int start = content.position();
        int revision = source.get();
        new Records(LogFixture.ID).encode(new LogFixture().update(Math.max(0, revision)), 0, content);
        int length = content.position() - start;
        content.putLong(start + 8, revision).putLong(start + 16, source.get());
        int changes = source.get() & 3;
        for (int i = 0; i < changes && source.remaining() > 2; i++) {
            content.put(start + 8 + (source.get() & 0xff) % (length - 8), source.get());
        }
        RawRecords.seal(content, start, length);
        if (changes == 3) {
            content.putInt(start, source.remaining() > 4 ? source.getInt() : 0);
        }
    }

    private static void put(LogFixture fixture, long first, ByteBuffer content) throws IOException {
        try (DiskFile file = fixture.disk.create(Segment.of(first).name())) {
            file.writeFully(content, 0);
        }
    }

    private static void check(LogFixture fixture) {
        long durable;
        try (UpdateLog log = fixture.open(0)) {
            durable = log.durable();
            assertReplayed(fixture, durable);
        } catch (StorageException e) {
            assertThat(e).hasMessageMatching(
                    "(?s)the update log .*|.* holds a record .*|.* belongs to .*|.* has a format .*");
            assertThat(fixture.disk.openFiles()).isZero();
            return;
        }
        LoggedUpdate[] before = fixture.replayed.toArray(LoggedUpdate[]::new);
        try (UpdateLog log = fixture.open(0)) {
            assertThat(log.durable()).isEqualTo(durable);
            assertThat(Arrays.asList(before)).isEqualTo(fixture.replayed);
        } catch (StorageException e) {
            throw new AssertionError("what opened once does not open again", e);
        }
        assertThat(fixture.disk.openFiles()).isZero();
    }

    private static void assertReplayed(LogFixture fixture, long durable) {
        assertThat((long) fixture.replayed.size()).isEqualTo(durable);
        for (int i = 0; i < durable; i++) {
            assertThat(fixture.replayed.get(i).revision()).isEqualTo(i + 1);
        }
    }
}
