package dev.weir.storage.server.request;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.SplittableRandom;

import com.sun.management.ThreadMXBean;
import dev.weir.model.Digest;
import dev.weir.storage.Samples;
import dev.weir.storage.server.stats.Counter;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class CommandHandlerTest {
    private static byte[] request(int code, Digest digest, long @Nullable [] shingles) {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        CommandWriter writer = new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, code).flag(1).value(2)
                .tag(77).digest(digest.toBytes(), 0);
        if (shingles != null) {
            writer.shingles(shingles);
        }
        return Arrays.copyOf(bytes, writer.end());
    }

    @Test
    void floodOfNewKeysIsBoundedAndDoesNotAffectKnownClients() {
        HandlerFixture fixture = new HandlerFixture(2, false);
        byte[] check = request(CommandCode.CHECK, Samples.digest(1), null);
        byte[] known = fixture.boxed(check);
        assertThat(fixture.handle(known, known.length)).isPositive();
        byte[] flood = fixture.boxed(check);
        int flooded = 20 * AgreementBudget.BURST;
        for (int i = 0; i < flooded; i++) {
            // Each request has another client key, so it cannot be decrypted, which only the key agreement shows.
            byte[] other = flood.clone();
            other[12] = (byte) i;
            other[13] ^= (byte) (1 + (i >> 8));
            assertThat(fixture.handle(other, other.length)).isZero();
            byte[] again = fixture.boxed(check);
            assertThat(fixture.handle(again, again.length)).isPositive();
        }
        // The clock stands still, so the budget is one burst, minus one for the known client.
        assertThat(fixture.count(Counter.DROPPED_MAC)).isEqualTo(AgreementBudget.BURST - 1);
        assertThat(fixture.count(Counter.DROPPED_NEW_KEYS)).isEqualTo(flooded - AgreementBudget.BURST + 1);
        assertThat(fixture.count(Counter.ENCRYPTED)).isEqualTo(flooded + 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 31, 33, 255})
    void refusesAnotherCountOfShinglesWithTheReason(int count) {
        HandlerFixture fixture = new HandlerFixture(8, false);
        byte[] check = new byte[Protocol.SHINGLED_COMMAND];
        new CommandWriter().begin(check, 0, Generation.V4, CommandCode.CHECK).tag(5)
                .digest(Samples.digest(1).toBytes(), 0).shingles(new long[Protocol.SHINGLES]).end();
        assertThat(fixture.exchange(check, false).flatMap(bytes -> Reply.decode(bytes, 0, bytes.length)))
                .hasValueSatisfying(reply -> assertThat(reply.value()).isNotEqualTo(ErrorCode.WRONG_SHINGLES));
        check[2] = (byte) count;
        assertThat(fixture.exchange(check, false).flatMap(bytes -> Reply.decode(bytes, 0, bytes.length)))
                .hasValueSatisfying(reply -> {
                    assertThat(reply.value()).isEqualTo(ErrorCode.WRONG_SHINGLES);
                    assertThat(reply.probability()).isZero();
                    assertThat(reply.tag()).isEqualTo(5);
                });
        assertThat(fixture.count(Counter.WRONG_SHINGLES)).isEqualTo(1);
    }

    @Test
    void floodFromOneNetworkLeavesRoomForNewClientsOfOthers() {
        for (boolean stream : new boolean[]{false, true}) {
            HandlerFixture fixture = new HandlerFixture(2, false).from("192.0.2.1", stream);
            byte[] flood = fixture.boxed(request(CommandCode.CHECK, Samples.digest(1), null));
            for (int i = 0; i < 10 * AgreementBudget.BURST; i++) {
                byte[] other = flood.clone();
                other[12] = (byte) i;
                other[13] ^= (byte) (1 + (i >> 8));
                assertThat(fixture.handle(other, other.length)).isZero();
            }
            assertThat(fixture.count(Counter.DROPPED_MAC)).isEqualTo(AgreementBudget.BURST - AgreementBudget.KEPT);
            assertThat(fixture.count(Counter.DROPPED_NEW_KEYS))
                    .isEqualTo(9 * AgreementBudget.BURST + AgreementBudget.KEPT);
            fixture.from("198.51.100.1", stream);
            byte[] honest = fixture.boxed(request(CommandCode.CHECK, Samples.digest(1), null));
            assertThat(fixture.handle(honest, honest.length)).isPositive();
        }
    }

    @Test
    void fullQueueIsReportedToTheClientAndCounted() {
        HandlerFixture fixture = new HandlerFixture(2, false);
        byte[] write = request(CommandCode.WRITE, Samples.digest(5), Samples.shingles(5));
        assertThat(fixture.handle(write.clone(), write.length)).isZero();
        assertThat(fixture.handle(write.clone(), write.length)).isZero();
        int length = fixture.handle(write.clone(), write.length);
        Reply reply = Reply.decode(fixture.reply, 0, length).orElseThrow();
        assertThat(reply.value()).isEqualTo(ErrorCode.INTERNAL);
        assertThat(reply.isMatch()).isFalse();
        assertThat(reply.tag()).isEqualTo(77);
        assertThat(fixture.count(Counter.QUEUE_FULL)).isEqualTo(1);
        assertThat(fixture.count(Counter.WRITES)).isEqualTo(2);
        assertThat(fixture.lateReplies).hasValue(0);
    }

    /** Bytes that a measurement itself may allocate; one object for each round would be at least 160,000. */
    private static final long MEASURING = 4_096;

    /** Covers exact matches, similar matches, misses, and drops, both plain and encrypted. */
    @ParameterizedTest
    @CsvSource({"EXACT, false", "SIMILAR, false", "MISS, false", "DROP, false", "EXACT, true", "SIMILAR, true",
        "MISS, true", "DROP, true"})
    void checksAllocateNothing(String kind, boolean encrypted) {
        HandlerFixture fixture = new HandlerFixture(1, false);
        long[] near = Samples.changed(Samples.shingles(1), 5, new SplittableRandom(1));
        byte[] plain = switch (kind) {
            case "EXACT" -> request(CommandCode.CHECK, Samples.digest(1), near);
            case "SIMILAR" -> request(CommandCode.CHECK, Samples.digest(2), near);
            case "MISS" -> request(CommandCode.CHECK, Samples.digest(2), Samples.shingles(2));
            default -> request(9, Samples.digest(2), null);
        };
        if (kind.equals("DROP")) {
            plain[0] = 1;
        }
        byte[] request = encrypted ? fixture.boxed(plain) : plain;
        byte[] datagram = new byte[Protocol.MAX_DATAGRAM];
        int expected = kind.equals("DROP") ? 0 : encrypted ? 184 : 144;
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        int rounds = 10_000;
        long allocated = Long.MAX_VALUE;
        // Interpreted code allocates what compiled code does not, and on a busy machine the compiler comes late.
        for (int run = 0; run < 50 && allocated >= MEASURING; run++) {
            int sum = 0;
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < rounds; i++) {
                System.arraycopy(request, 0, datagram, 0, request.length);
                sum += fixture.handle(datagram, request.length);
            }
            allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(sum).isEqualTo(rounds * expected);
        }
        assertThat(allocated).isLessThan(MEASURING);
    }
}
