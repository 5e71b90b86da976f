package dev.weir.wire.command;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.reply.ReplyWriter;

import static org.assertj.core.api.Assertions.assertThat;

/** Reads arbitrary bytes. The result is a reason, or a view that stays within the bytes. */
final class CommandFuzzTest {
    @FuzzTest
    void wrap(byte @NotNull [] bytes) {
        for (Carrier carrier : Carrier.values()) {
            Command command = new Command(Generation.all());
            if (command.wrap(bytes, 0, bytes.length, carrier) != Parse.OK) {
                continue;
            }
            assertThat(command.length()).isBetween(Protocol.COMMAND, Protocol.MAX_FRAME);
            assertThat(command.digestOffset() + Protocol.DIGEST).isLessThanOrEqualTo(bytes.length);
            assertThat(command.code()).isBetween(0, 255);
            long sum = command.digestWord(7) + command.tag() + command.value();
            if (command.hasShingles()) {
                sum += command.shingle(31);
            }
            int extensions = 0;
            byte[] again = new byte[Protocol.MAX_FRAME];
            int size = 0;
            for (Extension extension : command.extensions()) {
                size += Extensions.write(extension, again, size);
                extensions++;
            }
            // Only an IPv4-mapped IPv6 address is written shorter than it was read.
            assertThat(size).isLessThanOrEqualTo(command.extensionsLength());
            assertThat(extensions).isLessThanOrEqualTo(command.extensionsLength());
            byte[] out = new byte[Protocol.MAX_REPLY];
            int reply = new ReplyWriter().begin(command, out, 0).result((int) sum, command.flag(), 1).end();
            assertThat(reply).isBetween(4, Protocol.MAX_REPLY);
        }
    }
}
