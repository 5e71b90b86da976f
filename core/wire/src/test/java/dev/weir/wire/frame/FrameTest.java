package dev.weir.wire.frame;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import dev.weir.wire.Protocol;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class FrameTest {
    /** Reads a stream in pieces, as a connection does: remaining bytes go before the next piece. */
    static List<byte[]> read(byte[] stream, int... cuts) {
        FrameReader reader = new FrameReader();
        List<byte[]> frames = new ArrayList<>();
        ByteBuffer in = ByteBuffer.allocate(FrameReader.MAX_BYTES + stream.length);
        int from = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int to = i < cuts.length ? cuts[i] : stream.length;
            in.put(stream, from, to - from).flip();
            from = to;
            while (reader.next(in) == FrameReader.Step.FRAME) {
                frames.add(Arrays.copyOf(reader.bytes(), reader.length()));
            }
            in.compact();
        }
        return frames;
    }

    @Property(seed = "71", tries = 300)
    void readsFramesFromArbitraryPieces(
            @ForAll @Size(min = 1, max = 6) List<@IntRange(min = 1, max = Protocol.MAX_FRAME) Integer> lengths,
            @ForAll Random random) {
        List<byte[]> frames = new ArrayList<>();
        ByteBuffer stream = ByteBuffer.allocate(lengths.size() * FrameReader.MAX_BYTES);
        for (int length : lengths) {
            byte[] frame = new byte[length];
            random.nextBytes(frame);
            frames.add(frame);
            FrameWriter.put(stream, frame, 0, length);
        }
        byte[] bytes = Arrays.copyOf(stream.array(), stream.position());
        int[] cuts = random.ints(5, 0, bytes.length + 1).sorted().toArray();
        assertThat(read(bytes, cuts).toArray(byte[][]::new)).isDeepEqualTo(frames.toArray(byte[][]::new));
    }

    @Test
    void readsTwoFramesCutAtEveryByte() {
        ByteBuffer stream = ByteBuffer.allocate(400);
        FrameWriter.put(stream, new byte[]{1, 2, 3}, 0, 3);
        FrameWriter.put(stream, new byte[300], 0, 300);
        byte[] bytes = Arrays.copyOf(stream.array(), stream.position());
        assertThat(bytes).startsWith(3, 0, 1, 2, 3, 0x2c, 1);
        for (int cut = 0; cut <= bytes.length; cut++) {
            assertThat(read(bytes, cut)).extracting(frame -> frame.length).containsExactly(3, 300);
        }
    }

    @Test
    void rejectsInvalidLengths() {
        FrameReader reader = new FrameReader();
        for (int length : new int[]{0, Protocol.MAX_FRAME + 1, 0x4000, 0x8000, 0xffff}) {
            ByteBuffer in = ByteBuffer.wrap(new byte[]{(byte) length, (byte) (length >> 8), 1, 2, 3});
            assertThat(reader.next(in)).isEqualTo(FrameReader.Step.INVALID);
            assertThat(in.position()).isZero();
        }
        assertThat(reader.next(ByteBuffer.wrap(new byte[]{0}))).isEqualTo(FrameReader.Step.INCOMPLETE);
        assertThat(reader.length()).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FrameWriter.put(ByteBuffer.allocate(9), new byte[1], 0, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> FrameWriter.put(ByteBuffer.allocate(9_000),
                new byte[9_000], 0, Protocol.MAX_FRAME + 1));
        assertThatExceptionOfType(BufferOverflowException.class)
                .isThrownBy(() -> FrameWriter.put(ByteBuffer.allocate(9), new byte[8], 0, 8));
    }
}
