package dev.weir.wire.command;

import java.util.List;
import java.util.Optional;

import dev.weir.model.HtmlSides;
import dev.weir.wire.Generation;
import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import dev.weir.wire.reply.Reply;
import dev.weir.wire.reply.ReplyWriter;
import dev.weir.wire.reply.SideMatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The layout of docs/reference/protocol.md#extensions-of-weir. */
class ExtensionsOfWeirTest {
    private static final HtmlSides SIDES = new HtmlSides(-2, 1L << 63, 77);

    private final byte[] out = new byte[Protocol.MAX_DATAGRAM];
    private final byte[] reply = new byte[Protocol.MAX_REPLY];
    private final Command command = new Command();

    private int write(Generation generation, Extension... extensions) {
        CommandWriter writer = new CommandWriter().begin(out, 0, generation, CommandCode.CHECK).flag(9)
                .shingles(new long[Protocol.SHINGLES]);
        for (Extension extension : extensions) {
            writer.extension(extension);
        }
        return writer.end();
    }

    private Command read(Extension... extensions) {
        assertThat(command.wrap(out, 0, write(Generation.MULTI_FLAG, extensions))).isEqualTo(Parse.OK);
        return command;
    }

    @Test
    void readsWhatItWrites() {
        Extension[] all = {new Extension.Sides(SIDES), new Extension.WideFlag(300), new Extension.Capabilities(),
            new Extension.Protectors(List.of(21, -1, 1_000_000)), new Extension.Domain("example.com")};
        Command read = read(all);
        assertThat(read.extensions()).containsExactly(all);
        assertThat(read.isOfWeir()).isTrue();
        assertThat(read.hasSides()).isTrue();
        assertThat(read.ctaDomains()).isEqualTo(1L << 63);
        assertThat(read.allDomains()).isEqualTo(-2);
        assertThat(read.features()).isEqualTo(77);
        assertThat(read.flag()).isEqualTo(300);
        assertThat(read.asksCapabilities()).isTrue();
        assertThat(read.protectors()).isEqualTo(3);
        assertThat(read.protector(2)).isEqualTo(1_000_000);
        assertThat(out[Protocol.SHINGLED_COMMAND]).isEqualTo((byte) 0xf7);
        assertThat(out[Protocol.SHINGLED_COMMAND + 1]).isEqualTo((byte) 25);
        assertThat(out[Protocol.SHINGLED_COMMAND + 2]).isEqualTo((byte) 1);
        assertThat(LittleEndian.getLong(out, Protocol.SHINGLED_COMMAND + 3)).isEqualTo(1L << 63);
    }

    @Test
    void theNextRequestHasNothingOfThis() {
        read(new Extension.Sides(SIDES), new Extension.WideFlag(300), new Extension.Protectors(List.of(1)));
        Command next = read();
        assertThat(next.isOfWeir()).isFalse();
        assertThat(next.hasSides()).isFalse();
        assertThat(next.flag()).isEqualTo(9);
        assertThat(next.protectors()).isZero();
        assertThatThrownBy(next::ctaDomains).isInstanceOf(IllegalStateException.class);
    }

    /** Later versions may have them. */
    @Test
    void skipsUnknownKindsAndWrongContents() {
        for (String content : List.of("", "\u0009later", "\u0001short", "\u0001" + "\0".repeat(24),
                "\u0002\u00ff\0\0\0",
                "\u0002\0\0\0\u0080", "\u0003x", "\u0004xyz", "\u0004" + "x".repeat(36))) {
            Command read = read(new Extension.Unknown(0xf7, content));
            assertThat(read.hasSides()).as(content).isFalse();
            assertThat(read.flag()).as(content).isEqualTo(9);
            assertThat(read.protectors()).as(content).isZero();
            assertThat(read.asksCapabilities()).as(content).isFalse();
            assertThat(read.extensions()).containsExactly(new Extension.Unknown(0xf7, content));
        }
    }

    @ParameterizedTest
    @EnumSource(value = Generation.class, names = {"V4", "MULTI_FLAG"})
    void repliesCarryTheComparison(Generation generation) {
        assertThat(command.wrap(out, 0, write(generation, new Extension.Sides(SIDES)))).isEqualTo(Parse.OK);
        int plain = new ReplyWriter().begin(command, reply, 0).result(5, 9, 0.75f).end();
        assertThat(Reply.decode(reply, 0, plain).orElseThrow().sides()).isEmpty();
        int size = new ReplyWriter().begin(command, reply, 0).result(5, 9, 0.75f)
                .sides(0.75f, 0.225f, SideMatch.bits(HtmlSides.Cta.DIFFERENT, false, true, true)).end();
        Reply read = Reply.decode(reply, 0, size).orElseThrow();
        assertThat(read.sides()).hasValue(
                new SideMatch(0.75f, 0.225f, HtmlSides.Cta.DIFFERENT, false, true, true));
        assertThat(read.value()).isEqualTo(5);
        assertThat(size).isEqualTo(plain + 12);
        assertThat(Reply.decode(reply, 0, size - 1)).isEmpty();
        reply[plain + 1]++;
        assertThat(Reply.decode(reply, 0, size)).isEmpty();
    }

    @Test
    void aPingTellsWhatTheStorageKnows() {
        read(new Extension.Capabilities());
        int size = new ReplyWriter().begin(command, reply, 0).capabilities().result(1, 9, 1).end();
        Optional<Reply> read = Reply.decode(reply, 0, size);
        assertThat(read.orElseThrow().takesWideFlags()).isTrue();
        assertThat(read.orElseThrow().keepsSides()).isTrue();
        int plain = new ReplyWriter().begin(command, reply, 0).result(1, 9, 1).end();
        assertThat(Reply.decode(reply, 0, plain).orElseThrow().takesWideFlags()).isFalse();
    }

    @Test
    void refusesWhatCannotTravel() {
        assertThatThrownBy(() -> write(Generation.V4, new Extension.WideFlag(255)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> write(Generation.V4, new Extension.Protectors(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> write(Generation.V3, new Extension.Sides(SIDES)))
                .isInstanceOf(IllegalStateException.class);
    }
}
