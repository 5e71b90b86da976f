package dev.weir.wire;

import java.lang.management.ManagementFactory;
import java.security.SecureRandom;
import java.util.List;

import com.sun.management.ThreadMXBean;
import dev.weir.model.HtmlSides;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.Opened;
import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Extension;
import dev.weir.wire.command.Parse;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.ServerKeys;
import dev.weir.wire.reply.ReplyWriter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Packets do not allocate once the shared key is cached. */
final class AllocationTest {
    private static final int ROUNDS = 20_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final SecureRandom random = new SecureRandom();
    private final KeyPair serverPair = KeyPair.generate(random);
    private final ServerKeys keys = ServerKeys.of(List.of(KeyPair.generate(random), serverPair));
    private final ClientSession session = ClientSession.of(KeyPair.generate(random), serverPair.publicKey())
            .orElseThrow();
    private final Box server = new Box(random);
    private final Box client = new Box(random);
    private final Command command = new Command();
    private final CommandWriter commands = new CommandWriter();
    private final ReplyWriter replies = new ReplyWriter();
    private final long[] shingles = new long[Protocol.SHINGLES];
    private final byte[] digest = new byte[Protocol.DIGEST];
    private final Extension sides = new Extension.Sides(new HtmlSides(1, 2, 3));
    private final Extension protectors = new Extension.Protectors(List.of());
    private final byte[] request = new byte[Protocol.MAX_DATAGRAM];
    private final byte[] reply = new byte[Protocol.REPLY_HEADER + Protocol.MAX_REPLY];

    /** Processes a complete encrypted check and its encrypted reply. */
    private int exchange(int tag) {
        int size = commands.begin(request, Protocol.REQUEST_HEADER, Generation.MULTI_FLAG, CommandCode.CHECK).flag(1)
                .tag(tag).digest(digest, 0).shingles(shingles).extension(sides).extension(protectors).end();
        int sent = client.sealRequest(session, request, 0, size);
        if (server.open(keys, request, 0, sent) != Opened.OK || command.wrap(request, server.plainOffset(),
                server.plainLength(), Carrier.BOXED_DATAGRAM) != Parse.OK) {
            throw new IllegalStateException("not opened");
        }
        long sum = command.digestWord(3) + command.shingle(31) + command.flag() + command.value()
                + command.ctaDomains() + command.protectors();
        int answer = replies.begin(command, reply, Protocol.REPLY_HEADER).result((int) sum, 1, 0.75f).matched()
                .time(tag).extra(1, 2).sides(0.75f, 0.5f, 1).end();
        int answered = server.sealReply(server.sharedKey(), reply, 0, answer);
        if (client.openReply(session.shared(), reply, 0, answered) != Opened.OK) {
            throw new IllegalStateException("reply not opened");
        }
        return LittleEndian.getInt(reply, client.plainOffset() + 8);
    }

    @Test
    void anExchangeAllocatesNothing() {
        long best = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            long good = 0;
            for (int i = 0; i < ROUNDS; i++) {
                good += exchange(i) == i ? 1 : 0;
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            assertThat(good).isEqualTo(ROUNDS);
            best = Math.min(best, allocated);
        }
        System.out.println("wire: " + best + " bytes allocated in " + ROUNDS + " exchanges");
        // Reading the counter may itself allocate a little; one object per exchange would be 320000.
        assertThat(best).isLessThan(1024);
    }
}
