package dev.weir.wire.frame;

import java.nio.ByteBuffer;
import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.wire.Protocol;

import static org.assertj.core.api.Assertions.assertThat;

/** Decodes random streams in two pieces. The cut makes no difference, and each byte is in one frame or remains. */
class FrameFuzzTest {
    @FuzzTest
    void readsAnyStreamInTwoPieces(byte[] data) {
        int cut = data.length == 0 ? 0 : Math.floorMod(Arrays.hashCode(data), data.length + 1);
        assertThat(FrameTest.read(data, cut)).usingRecursiveComparison().isEqualTo(FrameTest.read(data));
        FrameReader reader = new FrameReader();
        ByteBuffer in = ByteBuffer.wrap(data);
        ByteBuffer again = ByteBuffer.allocate(data.length);
        FrameReader.Step step = reader.next(in);
        while (step == FrameReader.Step.FRAME) {
            assertThat(reader.length()).isBetween(1, Protocol.MAX_FRAME);
            FrameWriter.put(again, reader.bytes(), 0, reader.length());
            step = reader.next(in);
        }
        assertThat(step == FrameReader.Step.INCOMPLETE && in.remaining() >= FrameReader.MAX_BYTES).isFalse();
        again.put(in);
        assertThat(again.array()).isEqualTo(data);
    }
}
