package dev.weir.wire.reply;

import java.util.Arrays;
import java.util.stream.IntStream;

import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.command.Parse;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class ReplyTest {
    private final byte[] out = new byte[Protocol.MAX_REPLY];
    private final ReplyWriter writer = new ReplyWriter();

    private Command command(Generation generation, int code) {
        byte[] bytes = new byte[Protocol.COMMAND];
        byte[] digest = new byte[Protocol.DIGEST];
        Arrays.fill(digest, (byte) 0xd1);
        int size = new CommandWriter().begin(bytes, 0, generation, code).flag(200).value(-5).tag(0xcafebabe)
                .digest(digest, 0).end();
        Command command = new Command(Generation.all());
        assertThat(command.wrap(bytes, 0, size)).isEqualTo(Parse.OK);
        return command;
    }

    private Reply decode(int size) {
        return Reply.decode(out, 0, size).orElseThrow();
    }

    @Test
    void errorsCarryTheFlagAndDigestOfTheRequest() {
        Command command = command(Generation.V4, CommandCode.WRITE);
        Reply reply = decode(writer.begin(command, out, 0).error(ErrorCode.FORBIDDEN).end());
        assertThat(reply.value()).isEqualTo(503);
        assertThat(reply.flag()).isEqualTo(200);
        assertThat(reply.tag()).isEqualTo(0xcafebabe);
        assertThat(reply.isMatch()).isFalse();
        assertThat(reply.digest()).containsOnly(0xd1);
        assertThat(reply.layout()).isEqualTo(ReplyLayout.LONG);
        assertThat(reply.matched()).isFalse();
    }

    @Test
    void acknowledgesUpdates() {
        Reply reply = decode(writer.begin(command(Generation.V3, CommandCode.WRITE), out, 0).accepted().end());
        assertThat(reply.value()).isZero();
        assertThat(reply.flag()).isEqualTo(200);
        assertThat(reply.probability()).isEqualTo(1);
        assertThat(reply.layout()).isEqualTo(ReplyLayout.SHORT);
        assertThat(reply.digest()).isEmpty();
    }

    @Test
    void countsHave64Bits() {
        long count = 0x1_8000_0001L;
        Reply reply = decode(writer.begin(command(Generation.V4, CommandCode.STAT), out, 0).count(count).end());
        assertThat(reply.count()).isEqualTo(count);
        assertThat(reply.value()).isEqualTo(1);
        assertThat(reply.probability()).isEqualTo((float) count);
    }

    @Test
    void ignoresExtraFlagsAfterSeven() {
        writer.begin(command(Generation.MULTI_FLAG, CommandCode.CHECK), out, 0).result(1, 2, 1).matched().noDigest()
                .time(-1);
        for (int i = 0; i < 9; i++) {
            writer.extra(i, -i);
        }
        Reply reply = decode(writer.end());
        assertThat(reply.extras()).isEqualTo(IntStream.range(0, 7).mapToObj(i -> new Reply.Extra(i, -i)).toList());
        assertThat(reply.matched()).isTrue();
        assertThat(reply.digest()).hasSize(64).containsOnly(0);
        assertThat(reply.time()).isEqualTo(0xffffffffL);
    }

    @Test
    void aReusedWriterStartsEmpty() {
        Arrays.fill(out, (byte) -1);
        Command command = command(Generation.MULTI_FLAG, CommandCode.CHECK);
        writer.begin(command, out, 0).result(9, 9, 1).matched().time(9).extra(9, 9).end();
        Reply reply = decode(writer.begin(command, out, 0).end());
        assertThat(reply.extras()).isEmpty();
        assertThat(reply.value()).isZero();
        assertThat(reply.probability()).isZero();
        assertThat(reply.time()).isZero();
        assertThat(reply.matched()).isFalse();
    }

    @Test
    void rejectsRepliesOfAnotherShape() {
        int good = 0;
        for (int length = 0; length <= Protocol.MAX_REPLY; length++) {
            boolean decoded = Reply.decode(new byte[length], 0, length).isPresent();
            assertThat(decoded).isEqualTo(length == 16 || length == 96 || length == 144);
            good += decoded ? 1 : 0;
        }
        assertThat(good).isEqualTo(3);
        byte[] many = new byte[144];
        many[84] = 8;
        assertThat(Reply.decode(many, 0, 144)).isEmpty();
        many[84] = (byte) 0x80;
        assertThat(Reply.decode(many, 0, 144)).isEmpty();
        assertThatThrownBy(() -> Reply.decode(many, 1, 144)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void rejectsABufferWithoutRoom() {
        Command command = command(Generation.V4, CommandCode.CHECK);
        assertThatThrownBy(() -> writer.begin(command, new byte[95], 0)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void repliesWithEqualContentsAreEqual() {
        Command command = command(Generation.MULTI_FLAG, CommandCode.CHECK);
        int size = writer.begin(command, out, 0).result(1, 2, 0.75f).extra(3, 4).end();
        Reply reply = decode(size);
        assertThat(decode(size)).isEqualTo(reply).hasSameHashCodeAs(reply);
        assertThat(reply.toString()).contains("value=1", "flag=2", "probability=0.75");
        out[0]++;
        assertThat(decode(size)).isNotEqualTo(reply);
    }
}
