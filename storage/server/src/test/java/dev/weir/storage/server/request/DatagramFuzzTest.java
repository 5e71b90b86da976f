package dev.weir.storage.server.request;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.storage.server.stats.Counter;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.Opened;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that any datagram, plain or encrypted, is handled without an exception, and that a reply has the length of its
 * generation.
 */
class DatagramFuzzTest {
    // Shared between runs, because generating keys is slow under a fuzzer's instrumentation. The queue fills up, which
    // covers one more kind of answer.
    private static final HandlerFixture OPEN = new HandlerFixture(4, false);
    private static final HandlerFixture ENCRYPTED_ONLY = new HandlerFixture(4, true);

    @FuzzTest
    void anyDatagramIsAnsweredOrDropped(byte[] data) {
        HandlerFixture fixture = data.length % 2 == 1 ? ENCRYPTED_ONLY : OPEN;
        long before = fixture.count(Counter.RECEIVED);
        byte[] datagram = Arrays.copyOf(data, Protocol.MAX_DATAGRAM);
        int length = Math.min(data.length, Protocol.MAX_DATAGRAM);
        boolean box = Box.isRequest(datagram, 0, length);
        int reply = fixture.handle(datagram, length);
        if (box) {
            // The fuzzer cannot guess a key.
            assertThat(reply).isZero();
        } else if (reply != 0) {
            if (length == Protocol.TEXT_COMMAND && data[0] >= 0 && data[0] <= 2) {
                assertThat(new String(fixture.reply, 0, reply, StandardCharsets.US_ASCII))
                        .matches("(OK( -?\\d+ \\d+)?|ERR)\r\n");
            } else {
                assertThat(reply).isEqualTo(replyLength(data));
            }
        }
        assertInvariants(fixture, before);
    }

    @FuzzTest
    void anythingInABoxIsAnsweredOrDropped(byte[] data) {
        HandlerFixture fixture = ENCRYPTED_ONLY;
        long before = fixture.count(Counter.RECEIVED);
        int length = Math.min(data.length, Protocol.MAX_DATAGRAM - Protocol.REQUEST_HEADER);
        byte[] datagram = new byte[Protocol.MAX_DATAGRAM];
        System.arraycopy(data, 0, datagram, Protocol.REQUEST_HEADER, length);
        int total = fixture.clientBox.sealRequest(fixture.session, datagram, 0, length);
        int reply = fixture.handle(datagram, total);
        if (reply != 0) {
            assertThat(reply).isEqualTo(Protocol.REPLY_HEADER + replyLength(data));
            assertThat(fixture.clientBox.openReply(fixture.session.shared(), fixture.reply, 0, reply))
                    .isEqualTo(Opened.OK);
        }
        assertInvariants(fixture, before);
    }

    private static int replyLength(byte[] request) {
        return switch (request[0] & 0x0f) {
            case 2, 3 -> 16;
            case 4 -> (request[0] & 0x10) != 0 ? 144 : 96;
            default -> 144;
        };
    }

    private static void assertInvariants(HandlerFixture fixture, long before) {
        assertThat(fixture.count(Counter.DROPPED_INTERNAL)).isZero();
        assertThat(fixture.count(Counter.RECEIVED)).isEqualTo(before + 1);
        assertThat(fixture.index.size()).isEqualTo(1);
        assertThat(fixture.queue.size()).isLessThanOrEqualTo(4);
    }
}
