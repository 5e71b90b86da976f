package dev.weir.storage.server;

import java.util.Arrays;

import dev.weir.net.Packets;
import dev.weir.storage.Samples;
import dev.weir.wire.CommandCode;
import dev.weir.wire.CommandWriter;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.Reply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A batch is answered as its datagrams one by one would be, whatever is in between. */
class ForesightTest {
    private final HandlerFixture fixture = new HandlerFixture(100, false);

    private static byte[] request(int code, int hash, boolean shingles, int tag) {
        byte[] bytes = new byte[Protocol.SHINGLED_COMMAND];
        CommandWriter writer = new CommandWriter().begin(bytes, 0, Generation.MULTI_FLAG, code).flag(0).value(1)
                .tag(tag)
                .digest(Samples.digest(hash).toBytes(), 0);
        if (shingles) {
            writer.shingles(Samples.shingles(hash));
        }
        return Arrays.copyOf(bytes, writer.end());
    }

    private static byte[] oneOf(int i) {
        return switch (i % 6) {
            case 0 -> request(CommandCode.CHECK, 1, false, i);
            case 1 -> request(CommandCode.CHECK, 1 + i, true, i);
            case 2 -> request(CommandCode.PING, 1, false, i);
            case 3 -> new byte[]{4, 1, 2, 3};
            case 4 -> request(CommandCode.STAT, 1, false, i);
            default -> request(CommandCode.CHECK, 1, true, i);
        };
    }

    @Test
    void everyDatagramOfABatchGetsItsOwnAnswer() {
        for (int count : new int[]{2, 7, 33, 64}) {
            Packets batch = new Packets(64, Protocol.MAX_DATAGRAM);
            for (int i = 0; i < count; i++) {
                byte[] request = oneOf(i);
                batch.put(i, request, 0, request.length);
            }
            byte[][] alone = new byte[count][];
            for (int i = 0; i < count; i++) {
                alone[i] = answer(oneOf(i));
            }
            fixture.handler.expect(batch, count);
            for (int i = 0; i < count; i++) {
                byte[] together = answer(oneOf(i));
                assertThat(together).as("%d of %d", i, count).isEqualTo(alone[i]);
                if (i % 6 == 0) {
                    Reply reply = Reply.decode(together, 0, together.length).orElseThrow();
                    assertThat(reply.flag()).isEqualTo(3);
                    assertThat(reply.tag()).isEqualTo(i);
                }
            }
        }
    }

    private byte[] answer(byte[] request) {
        int length = fixture.handle(request.clone(), request.length);
        return Arrays.copyOf(fixture.reply, length);
    }
}
