package dev.weir.storage.push;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests with arbitrary bytes of a master. A batch that can be read means the same after it is written again. */
class PushedUpdatesFuzzTest {
    @FuzzTest
    void readsOrRejectsAnyBytes(byte[] data) {
        check(data);
    }

    /** The first element has a sound length, so that more of the rest is read. */
    @FuzzTest
    void readsOrRejectsAnyElements(byte[] data) {
        byte[] body = new byte[data.length + 8];
        System.arraycopy(data, 0, body, 8, data.length);
        ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).putInt(7).putInt(data.length % 2 == 0 ? 80 : 336);
        check(body);
    }

    private static void check(byte[] data) {
        PushedUpdates read;
        try {
            read = PushedUpdates.read(data.clone());
        } catch (PushException e) {
            assertThat(e.getMessage()).isNotBlank();
            return;
        }
        try {
            assertThat(PushedUpdates.read(read.write())).isEqualTo(read);
        } catch (PushException e) {
            throw new AssertionError("what was written cannot be read", e);
        }
    }
}
