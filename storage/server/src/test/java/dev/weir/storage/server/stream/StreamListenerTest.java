package dev.weir.storage.server.stream;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.stats.Counter;
import dev.weir.testkit.StreamClient;
import dev.weir.wire.Protocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static dev.weir.storage.server.stream.StreamFixture.LIMITS;
import static dev.weir.storage.server.stream.StreamFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

class StreamListenerTest {
    @Test
    void answersFramesSplitAtAnyByteInOrder() throws Exception {
        byte[] bytes = StreamClient.framed(text("E first"), text("nothing"), text("E second, a little longer"));
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient client = fixture.connect();
                StreamClient other = fixture.connect()) {
            for (int cut = 0; cut <= bytes.length; cut++) {
                client.sendRaw(bytes, 0, cut);
                fixture.settle(other);
                client.sendRaw(bytes, cut, bytes.length);
                assertThat(client.receive()).isEqualTo(text("E first"));
                assertThat(client.receive()).isEqualTo(text("E second, a little longer"));
            }
            assertThat(fixture.listener.heldBytes()).isZero();
        }
    }

    @Test
    void answersManyFramesAtOnceInOrder() throws Exception {
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            frames.add(text("E" + i));
        }
        try (StreamFixture fixture = new StreamFixture(LIMITS); StreamClient client = fixture.connect()) {
            client.sendRaw(StreamClient.framed(frames.toArray(byte[][]::new)));
            for (byte[] frame : frames) {
                assertThat(client.receive()).isEqualTo(frame);
            }
            assertThat(fixture.count(Counter.FRAMES)).isEqualTo(2_000);
        }
    }

    @Test
    void answersTheLongestFrameAfterPartOfAnother() throws Exception {
        byte[] longest = new byte[Protocol.MAX_FRAME];
        longest[0] = 'E';
        try (StreamFixture fixture = new StreamFixture(LIMITS); StreamClient client = fixture.connect()) {
            client.sendRaw(StreamClient.framed(text("E"), longest, longest, longest, text("Eend")));
            assertThat(client.receive()).isEqualTo(text("E"));
            for (int i = 0; i < 3; i++) {
                assertThat(client.receive()).isEqualTo(Arrays.copyOf(longest, DatagramHandler.MAX_REPLY));
            }
            assertThat(client.receive()).isEqualTo(text("Eend"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8_193, 0x4001, 0x8001, 0xffff})
    void invalidFrameLengthClosesTheConnection(int length) throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS); StreamClient client = fixture.connect()) {
            client.sendRaw(new byte[]{2, 0, 'E', '1', (byte) length, (byte) (length >> 8)});
            assertThat(client.receive()).isEqualTo(text("E1"));
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(fixture.count(Counter.CONNECTION_BAD_FRAME)).isEqualTo(1);
        }
    }

    @Test
    void closesSilentConnectionsSoonAndIdleOnesLater() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient silent = fixture.connect();
                StreamClient asked = fixture.connect()) {
            fixture.settle(asked);
            fixture.seconds.addAndGet(4);
            assertThat(silent.isClosedByServer()).isTrue();
            assertThat(fixture.count(Counter.CONNECTION_SILENT)).isEqualTo(1);
            fixture.settle(asked);
            fixture.seconds.addAndGet(6);
            assertThat(asked.isClosedByServer()).isTrue();
            assertThat(fixture.count(Counter.CONNECTION_IDLE)).isEqualTo(1);
        }
    }

    @Test
    void closesAConnectionThatCompletesAFrameTooSlowly() throws Exception {
        byte[] bytes = StreamClient.framed(text("E slowly"));
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient slow = fixture.connect();
                StreamClient other = fixture.connect()) {
            // A frame may take eight seconds; no pause between bytes reaches five.
            for (int i = 0; i < 3; i++) {
                slow.sendRaw(bytes, i, i + 1);
                fixture.settle(other);
                fixture.seconds.addAndGet(4);
            }
            assertThat(slow.isClosedByServer()).isTrue();
            assertThat(fixture.count(Counter.CONNECTION_SLOW_REQUEST)).isEqualTo(1);
            fixture.settle(other);
        }
    }

    @Test
    void timeLimitAppliesToEachFrameSeparately() throws Exception {
        byte[] bytes = StreamClient.framed(text("E1"), text("E2"), text("E3"), text("E4"));
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient slow = fixture.connect();
                StreamClient other = fixture.connect()) {
            slow.sendRaw(bytes, 0, 3);
            for (int end = 7; end <= bytes.length; end += 4) {
                fixture.settle(other);
                fixture.seconds.addAndGet(4);
                slow.sendRaw(bytes, end - 4, Math.min(end, bytes.length));
                assertThat(slow.receive()).startsWith('E');
            }
            assertThat(fixture.count(Counter.CONNECTION_SLOW_REQUEST)).isZero();
        }
    }

    /**
     * Sends until the system accepts no more data although the server had its turns. Returns the number of frames
     * begun.
     */
    private static int fill(StreamFixture fixture, SlowReader reader, StreamClient other) throws IOException {
        int sent = 0;
        int refused = 0;
        while (refused < 3) {
            int taken = reader.send(text("F"));
            sent += taken;
            if (taken == 0) {
                refused++;
                fixture.settle(other);
            }
        }
        return sent;
    }

    @Test
    void clientThatDoesNotReadIsThrottledAndClosedWithoutAffectingOthers() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                SlowReader reader = new SlowReader(fixture.address);
                StreamClient other = fixture.connect()) {
            int sent = fill(fixture, reader, other);
            assertThat(fixture.handled.get()).isLessThan(sent);
            assertThat(fixture.listener.heldBytes()).isBetween(1, 3 * FramePump.OUT_BYTES);
            fixture.seconds.addAndGet(4);
            fixture.settle(other);
            fixture.seconds.addAndGet(5);
            // The other connection is closed as idle by then, so poll with a new one.
            while (fixture.count(Counter.CONNECTION_SLOW_READER) == 0) {
                try (StreamClient next = fixture.connect()) {
                    fixture.settle(next);
                }
            }
            assertThat(fixture.listener.heldBytes()).isLessThanOrEqualTo(3 * FramePump.OUT_BYTES);
        }
    }

    @Test
    void clientThatReadsLateLosesNoReply() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                SlowReader reader = new SlowReader(fixture.address);
                StreamClient other = fixture.connect()) {
            int sent = fill(fixture, reader, other);
            long bytes = (long) sent * Connection.MAX_REPLY_FRAME;
            assertThat(reader.read(bytes)).isEqualTo(bytes);
            assertThat(fixture.handled.get()).isGreaterThanOrEqualTo(sent);
            fixture.settle(other);
        }
    }

    @Test
    void lateRepliesArriveOnTheConnectionOfTheirRequest() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient first = fixture.connect();
                StreamClient second = fixture.connect()) {
            first.send(text("L"));
            fixture.settle(second);
            second.send(text("L"));
            fixture.settle(second);
            first.send(text("E in between"));
            assertThat(first.receive()).isEqualTo(text("E in between"));
            fixture.sendLate("for the first");
            fixture.sendLate("for the second");
            assertThat(second.receive()).isEqualTo(text("for the second"));
            assertThat(first.receive()).isEqualTo(text("for the first"));
        }
    }

    @Test
    void pendingRepliesAreBoundedAndFurtherFramesWait() throws Exception {
        int most = FramePump.OUT_BYTES / Connection.MAX_REPLY_FRAME;
        byte[][] frames = new byte[1_000][];
        Arrays.fill(frames, text("L"));
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient client = fixture.connect();
                StreamClient other = fixture.connect()) {
            client.sendRaw(StreamClient.framed(frames));
            fixture.settle(other);
            assertThat(fixture.kept).hasSize(most);
            for (int i = 0; i < frames.length; i++) {
                fixture.sendLate("later " + i);
                assertThat(client.receive()).isEqualTo(text("later " + i));
                fixture.settle(other);
                assertThat(fixture.kept).hasSizeLessThanOrEqualTo(most);
            }
            assertThat(fixture.kept).isEmpty();
        }
    }

    @Test
    void discardsAndCountsRepliesToClosedConnections() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient client = fixture.connect();
                StreamClient other = fixture.connect()) {
            client.send(text("L"));
            fixture.settle(other);
            client.reset();
            fixture.settle(other);
            assertThat(fixture.listener.connections()).isEqualTo(1);
            assertThat(fixture.count(Counter.CONNECTION_LOST)).isEqualTo(1);
            fixture.sendLate("too late");
            fixture.settle(other);
            assertThat(fixture.count(Counter.LATE_DISCARDED)).isEqualTo(1);
        }
    }

    @Test
    void clientThatEndsItsOutputGetsAllReplies() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient client = fixture.connect();
                StreamClient other = fixture.connect()) {
            client.sendRaw(StreamClient.framed(text("L"), text("E")));
            client.endOutput();
            assertThat(client.receive()).isEqualTo(text("E"));
            fixture.settle(other);
            fixture.sendLate("at last");
            assertThat(client.receive()).isEqualTo(text("at last"));
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void displacesOnlyConnectionsWithoutARequest() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS.withConnections(20, 10));
                StreamClient valid = fixture.connect()) {
            fixture.settle(valid);
            List<StreamClient> halfOpen = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                halfOpen.add(new StreamClient(fixture.address, "127.0.0." + (1 + i % 50)));
                fixture.settle(valid);
                assertThat(fixture.listener.connections()).isLessThanOrEqualTo(20);
            }
            assertThat(fixture.count(Counter.CONNECTION_DISPLACED)).isEqualTo(181);
            assertThat(fixture.count(Counter.CONNECTION_NO_ROOM)).isZero();
            // A new client that sends a request immediately is served and stays.
            try (StreamClient late = fixture.connect()) {
                fixture.settle(late);
            }
            assertThat(halfOpen.getFirst().isClosedByServer()).isTrue();
            for (StreamClient client : halfOpen) {
                client.close();
            }
        }
    }

    @Test
    void refusesNewConnectionsIfAllOthersSentRequests() throws Exception {
        List<StreamClient> clients = new ArrayList<>();
        try (StreamFixture fixture = new StreamFixture(LIMITS.withConnections(6, 4))) {
            for (int i = 0; i < 6; i++) {
                StreamClient client = new StreamClient(fixture.address, i < 4 ? "127.0.0.1" : "127.0.0.2");
                fixture.settle(client);
                clients.add(client);
            }
            try (StreamClient fromFirst = fixture.connect();
                    StreamClient fromThird = new StreamClient(fixture.address, "127.0.0.3")) {
                assertThat(fromFirst.isClosedByServer()).isTrue();
                assertThat(fromThird.isClosedByServer()).isTrue();
            }
            assertThat(fixture.count(Counter.CONNECTION_TOO_MANY)).isEqualTo(1);
            assertThat(fixture.count(Counter.CONNECTION_NO_ROOM)).isEqualTo(1);
            for (StreamClient client : clients) {
                fixture.settle(client);
                client.close();
            }
        }
    }

    @Test
    void closesConnectionsOfBlockedAddressesWithoutReply() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS, source -> !"127.0.0.9".equals(source.getHostAddress()));
                StreamClient blocked = new StreamClient(fixture.address, "127.0.0.9");
                StreamClient other = fixture.connect()) {
            assertThat(blocked.isClosedByServer()).isTrue();
            fixture.settle(other);
            assertThat(fixture.count(Counter.CONNECTION_BLOCKED)).isEqualTo(1);
        }
    }

    @Test
    void boundsMemoryAndStillServesConnectionsWithoutBuffers() throws Exception {
        StreamLimits small = new StreamLimits(40, 40, LIMITS.connect(), LIMITS.idle(), LIMITS.request(), 20_000);
        List<StreamClient> clients = new ArrayList<>();
        byte[] part = Arrays.copyOf(new byte[]{(byte) 0x00, (byte) 0x20}, 6_000);
        try (StreamFixture fixture = new StreamFixture(small); StreamClient other = fixture.connect()) {
            for (int i = 0; i < 10; i++) {
                StreamClient client = fixture.connect();
                client.sendRaw(part);
                clients.add(client);
                fixture.settle(other);
                assertThat(fixture.listener.heldBytes()).isLessThanOrEqualTo(20_000);
            }
            // Three connections fit into the memory. A slow listener may close the last of the others a little later.
            for (StreamClient refused : clients.subList(3, 10)) {
                assertThat(refused.isClosedByServer()).isTrue();
            }
            assertThat(fixture.count(Counter.CONNECTION_MEMORY)).isEqualTo(7);
            for (StreamClient client : clients) {
                client.close();
            }
        }
    }

    @Test
    void stopAcceptsNoRequestsButSendsPendingReplies() throws Exception {
        try (StreamFixture fixture = new StreamFixture(LIMITS);
                StreamClient client = fixture.connect();
                StreamClient other = fixture.connect()) {
            client.send(text("L"));
            fixture.settle(other);
            fixture.listener.stop();
            int before = fixture.handled.get();
            other.send(text("E"));
            fixture.sendLate("stored");
            assertThat(client.receive()).isEqualTo(text("stored"));
            fixture.listener.finish();
            assertThat(other.isClosedByServer()).isTrue();
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(fixture.handled.get()).isEqualTo(before);
        }
    }
}
