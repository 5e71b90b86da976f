package dev.weir.storage.replication;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests with arbitrary bytes from the network. A message that can be read means the same after it is written again. */
class MessageFuzzTest {
    @FuzzTest
    void readsOrRejectsAnyBytes(byte[] data) {
        check(data);
    }

    /** The first bytes are sound, so that more of the rest is read. */
    @FuzzTest
    void readsOrRejectsAnyFields(byte[] data) {
        byte[] message = new byte[data.length + 4];
        ByteBuffer.wrap(message).order(ByteOrder.LITTLE_ENDIAN).putInt(Message.MAGIC);
        System.arraycopy(data, 0, message, 4, data.length);
        if (message.length > 4) {
            message[4] = (byte) (1 + Math.floorMod(message[4], 9));
        }
        check(message);
    }

    private static void check(byte[] data) {
        Message message;
        try {
            message = Message.read(data.clone());
        } catch (MessageException e) {
            assertThat(e.getMessage()).isNotBlank();
            return;
        }
        byte[] written = Message.write(message);
        try {
            assertThat(Arrays.equals(Message.write(Message.read(written)), written)).isTrue();
        } catch (MessageException e) {
            throw new AssertionError("what was written cannot be read", e);
        }
    }
}
