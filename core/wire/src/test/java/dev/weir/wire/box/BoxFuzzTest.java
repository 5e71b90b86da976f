package dev.weir.wire.box;

import java.security.SecureRandom;
import java.util.List;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.wire.Vectors;
import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.key.ServerKeys;
import dev.weir.wire.reply.Reply;

import static org.assertj.core.api.Assertions.assertThat;

/** Tries to open arbitrary bytes. Unsealed bytes never open, and rejected bytes stay unchanged. */
final class BoxFuzzTest {
    private final Box box = new Box(new SecureRandom(), 4);
    private final ServerKeys keys = ServerKeys.of(List.of(Vectors.keyPair("srv1"), Vectors.keyPair("srv2")));
    private final SharedKey shared = SharedKey
            .of(Vectors.keyPair("cli1").secret(), Vectors.keyPair("srv1").publicKey()).orElseThrow();

    @FuzzTest
    void open(byte @NotNull [] bytes) {
        byte[] work = bytes.clone();
        Opened outcome = box.open(keys, work, 0, work.length);
        if (outcome == Opened.OK) {
            assertThat(box.plainOffset() + box.plainLength()).isEqualTo(bytes.length);
            new Command().wrap(work, box.plainOffset(), box.plainLength(), Carrier.BOXED_DATAGRAM);
        } else {
            assertThat(work).isEqualTo(bytes);
            assertThat(box.plainLength()).isZero();
        }
    }

    @FuzzTest
    void openReply(byte @NotNull [] bytes) {
        byte[] work = bytes.clone();
        if (box.openReply(shared, work, 0, work.length) == Opened.OK) {
            Reply.decode(work, box.plainOffset(), box.plainLength());
        } else {
            assertThat(work).isEqualTo(bytes);
        }
    }
}
