package dev.weir.wire.command;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.ProtocolVersion;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.Vectors;
import dev.weir.wire.reply.ReplyWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class CommandTest {
    private static byte[] request(int version, int shinglesCount, int length) {
        byte[] bytes = new byte[length];
        bytes[0] = (byte) version;
        if (length > 2) {
            bytes[2] = (byte) shinglesCount;
        }
        return bytes;
    }

    private static Parse parse(Set<Generation> accepted, byte[] bytes, Carrier carrier) {
        return new Command(accepted).wrap(bytes, 0, bytes.length, carrier);
    }

    @Test
    void readsTextCommandsOfRealClients() {
        List<JsonNode> examples = List.copyOf(Vectors.ROOT.path("legacy_text_protocol").path("examples").values());
        int good = 0;
        for (JsonNode example : examples) {
            byte[] bytes = Vectors.bytes(example.path("request").asString());
            JsonNode fields = example.path("fields");
            Command command = new Command(Generation.all());
            assertThat(command.wrap(bytes, 0, bytes.length)).isEqualTo(Parse.OK);
            assertThat(command.generation()).isEqualTo(Generation.TEXT);
            assertThat(command.epoch()).isEqualTo(ProtocolVersion.V0_6);
            assertThat(command.version()).isEqualTo(2);
            assertThat(command.code()).isEqualTo(fields.path("cmd").asInt());
            assertThat(command.value()).isEqualTo(fields.path("value").asInt());
            assertThat(command.flag()).isEqualTo(fields.path("flag").asInt());
            assertThat(command.tag()).isZero();
            assertThat(command.hasShingles()).isFalse();
            assertThat(command.extensionsLength()).isZero();
            byte[] digest = new byte[Protocol.DIGEST];
            command.copyDigest(digest, 0);
            assertThat(new String(digest, StandardCharsets.US_ASCII).replace("\0", ""))
                    .isEqualTo(fields.path("hash_ascii").asString());
            List<String> replies = example.path("possible_replies").values().stream()
                    .map(node -> node.asString().replace("\\r\\n", "\r\n")).toList();
            boolean check = command.code() == CommandCode.CHECK;
            assertThat(replies.getFirst()).isEqualTo(check ? "OK <value> <flag>\r\n" : "OK\r\n");
            assertThat(text(command, 7, -3, 1)).isEqualTo(check ? "OK 7 -3\r\n" : "OK\r\n");
            assertThat(text(command, 7, 3, 0.5f)).isEqualTo(replies.get(1)).isEqualTo("ERR\r\n");
            assertThat(parse(Generation.current(), bytes, Carrier.DATAGRAM)).isNotEqualTo(Parse.OK);
            assertThat(parse(Generation.all(), bytes, Carrier.FRAME)).isNotEqualTo(Parse.OK);
            assertThat(parse(Generation.all(), bytes, Carrier.BOXED_DATAGRAM)).isNotEqualTo(Parse.OK);
            good++;
        }
        System.out.println("wire: legacy_text " + good + " of " + examples.size());
        assertThat(good).isEqualTo(3);
    }

    private static String text(Command command, int value, int flag, float probability) {
        byte[] out = new byte[40];
        int size = new ReplyWriter().begin(command, out, 2).result(value, flag, probability).time(1).matched()
                .extra(1, 2).digest(new byte[64], 0).noDigest().end();
        return new String(out, 2, size, StandardCharsets.US_ASCII);
    }

    @Test
    void numbersInTextAreDecimal() {
        byte[] bytes = new byte[Protocol.TEXT_COMMAND];
        Command command = new Command(Generation.all());
        assertThat(command.wrap(bytes, 0, bytes.length)).isEqualTo(Parse.OK);
        assertThat(text(command, Integer.MIN_VALUE, Integer.MIN_VALUE, 1)).isEqualTo("OK -2147483648 -2147483648\r\n")
                .hasSize(ReplyLayout.TEXT.size());
        assertThat(text(command, 0, Integer.MAX_VALUE, 1)).isEqualTo("OK 0 2147483647\r\n");
        assertThat(text(command, 10, 99, 0.6f)).isEqualTo("OK 10 99\r\n");
        assertThat(text(command, 10, 99, Float.NaN)).isEqualTo("ERR\r\n");
    }

    @ParameterizedTest
    @CsvSource({"2,V2,V0_8,SHORT", "3,V3,V0_9,SHORT", "0x13,V3,V0_9,SHORT", "0x83,V3,V0_9,SHORT", "4,V4,V1_7,LONG",
        "0x24,V4,V1_7,LONG", "0x84,V4,V1_7,LONG", "0x14,MULTI_FLAG,V4_0,MULTI_FLAG",
        "0x34,MULTI_FLAG,V4_0,MULTI_FLAG", "5,MULTI_FLAG,V4_0,MULTI_FLAG", "0x15,MULTI_FLAG,V4_0,MULTI_FLAG"})
    void eachVersionHasAGenerationAndALayout(String version, Generation generation, ProtocolVersion epoch,
            ReplyLayout layout) {
        byte[] bytes = request(Integer.decode(version), 0, Protocol.COMMAND);
        Command command = new Command(Generation.all());
        assertThat(command.wrap(bytes, 0, bytes.length)).isEqualTo(Parse.OK);
        assertThat(command.generation()).isEqualTo(generation);
        assertThat(command.epoch()).isEqualTo(epoch);
        assertThat(command.epoch().reply()).isEqualTo(layout);
        assertThat(command.version()).isEqualTo(Integer.decode(version));
        assertThat(command.weak()).isEqualTo(Integer.decode(version) >= 0x80);
        assertThat(parse(EnumSet.complementOf(EnumSet.of(generation)), bytes, Carrier.DATAGRAM))
                .isEqualTo(generation == Generation.MULTI_FLAG && (Integer.decode(version) & 15) == 4
                        ? Parse.OK
                        : Parse.NOT_ACCEPTED);
    }

    @Test
    void encryptedVersionThreeIsASeparateEpoch() {
        byte[] bytes = request(3, 0, Protocol.COMMAND);
        Command command = new Command();
        assertThat(command.wrap(bytes, 0, bytes.length, Carrier.BOXED_DATAGRAM)).isEqualTo(Parse.OK);
        assertThat(command.epoch()).isEqualTo(ProtocolVersion.V1_0);
    }

    @Test
    void rejectsEveryOtherVersion() {
        int bad = 0;
        for (int version = 0; version < 256; version++) {
            boolean known = version == 2 || ((version & 15) >= 3 && (version & 15) <= 5);
            assertThat(parse(Generation.all(), request(version, 0, Protocol.COMMAND), Carrier.DATAGRAM))
                    .isEqualTo(known ? Parse.OK : Parse.BAD_VERSION);
            bad += known ? 0 : 1;
        }
        assertThat(bad).isEqualTo(256 - 3 * 16 - 1);
    }

    @ParameterizedTest
    @CsvSource({"3,0,0,TOO_SHORT", "3,0,75,TOO_SHORT", "3,0,76,OK", "3,0,77,BAD_LENGTH", "3,0,332,BAD_LENGTH",
        "3,1,76,MISSING_SHINGLES", "3,1,331,MISSING_SHINGLES", "3,1,332,OK", "3,255,332,OK", "3,1,333,BAD_LENGTH",
        "2,0,76,OK", "2,0,81,BAD_LENGTH", "2,9,332,OK", "2,9,333,BAD_LENGTH", "4,0,76,OK",
        "4,0,77,BAD_EXTENSION", "4,32,76,MISSING_SHINGLES", "4,32,331,MISSING_SHINGLES", "4,32,332,OK",
        "5,32,333,BAD_EXTENSION"})
    void rejectsInvalidLengthsOfAVersion(int version, int shingles, int length, Parse expected) {
        byte[] bytes = length == 0 ? new byte[0] : request(version, shingles, length);
        assertThat(parse(Generation.all(), bytes, Carrier.DATAGRAM)).isEqualTo(expected);
    }

    @Test
    void aReusedViewForgetsTheTextProtocol() {
        Command command = new Command(Generation.all());
        assertThat(command.wrap(new byte[80], 0, 80)).isEqualTo(Parse.OK);
        byte[] bytes = request(5, 32, Protocol.SHINGLED_COMMAND);
        bytes[1] = 4;
        assertThat(command.wrap(bytes, 0, bytes.length)).isEqualTo(Parse.OK);
        assertThat(command.version()).isEqualTo(5);
        assertThat(command.code()).isEqualTo(CommandCode.PING);
        assertThat(command.hasShingles()).isTrue();
    }

    @Test
    void onlyTheFirst1024BytesOfADatagramCount() {
        byte[] bytes = Arrays.copyOf(request(4, 0, Protocol.COMMAND), 2000);
        int at = Protocol.COMMAND;
        while (at < Protocol.MAX_DATAGRAM) {
            int size = Math.min(200, Protocol.MAX_DATAGRAM - at);
            bytes[at] = 'd';
            bytes[at + 1] = (byte) (size - 2);
            at += size;
        }
        Command command = new Command();
        assertThat(command.wrap(bytes, 0, bytes.length)).isEqualTo(Parse.OK);
        assertThat(command.length()).isEqualTo(1024);
        // In a frame, the zeros after the command are extensions of an invalid type.
        assertThat(command.wrap(bytes, 0, bytes.length, Carrier.FRAME)).isEqualTo(Parse.BAD_EXTENSION);
        assertThat(command.wrap(bytes, 0, 1024, Carrier.FRAME)).isEqualTo(Parse.OK);
        bytes[1022] = 'd';
        assertThat(command.wrap(bytes, 0, 1022)).isEqualTo(Parse.BAD_EXTENSION);
    }

    @Test
    void readsTheExtensionsThatItWrites() throws UnknownHostException {
        List<Extension> extensions = List.of(new Extension.Domain("example.com"), new Extension.Domain(""),
                new Extension.Domain("\u00ff".repeat(255)),
                new Extension.SenderIp(InetAddress.getByName("192.0.2.1")),
                new Extension.SenderIp(InetAddress.getByName("2001:db8::1")), new Extension.SenderFacts(0x00123456),
                new Extension.Unknown(0x81, "x"), new Extension.Unknown(0xff, ""));
        byte[] out = new byte[Protocol.MAX_DATAGRAM];
        CommandWriter writer = new CommandWriter().begin(out, 0, Generation.V4, CommandCode.CHECK);
        extensions.forEach(writer::extension);
        int size = writer.end();
        Command command = new Command();
        assertThat(command.wrap(out, 0, size)).isEqualTo(Parse.OK);
        assertThat(command.extensions()).containsExactlyElementsOf(extensions);
        assertThat(command.extensionsOffset()).isEqualTo(Protocol.COMMAND);
        assertThat(command.extensionsLength()).isEqualTo(size - Protocol.COMMAND);
        for (int cut = Protocol.COMMAND + 1; cut < Protocol.COMMAND + 13; cut++) {
            assertThat(command.wrap(out, 0, cut)).isEqualTo(Parse.BAD_EXTENSION);
        }
    }

    @Test
    void readsSenderFacts() {
        // class 0, tls, rcpts 2, generic, ptr 3, dmarc 4, dkim 2, spf 7
        var facts = new Extension.SenderFacts(0b1_10_1_11_100_010_111);
        assertThat(facts.factsClass()).isZero();
        assertThat(facts.tls()).isTrue();
        assertThat(facts.recipients()).isEqualTo(2);
        assertThat(facts.genericReverseName()).isTrue();
        assertThat(facts.reverseName()).isEqualTo(3);
        assertThat(facts.dmarc()).isEqualTo(4);
        assertThat(facts.dkim()).isEqualTo(2);
        assertThat(facts.spf()).isEqualTo(7);
        assertThat(new Extension.SenderFacts(0b110_000).dkim()).isZero();
        assertThat(new Extension.SenderFacts(0xff000000).factsClass()).isEqualTo(255);
        assertThat(new Extension.SenderFacts(0).tls()).isFalse();
    }

    @Test
    void rejectsInvalidCommands() {
        byte[] out = new byte[400];
        CommandWriter writer = new CommandWriter().begin(out, 0, Generation.V3, CommandCode.WRITE);
        assertThatThrownBy(() -> writer.flag(256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.flag(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.shingles(new long[31])).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.extension(new Extension.Domain("x"))).isInstanceOf(IllegalStateException.class);
        writer.shingles(new long[32]);
        assertThatThrownBy(() -> writer.shingles(new long[32])).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> writer.begin(out, 0, Generation.TEXT, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.begin(out, 0, Generation.V4, 256)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> writer.begin(out, 399, Generation.V4, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        CommandWriter four = new CommandWriter().begin(out, 0, Generation.V4, 0);
        assertThatThrownBy(() -> four.extension(new Extension.Domain("x".repeat(256))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> four.extension(new Extension.Unknown(0x80, "")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(four.end()).isEqualTo(Protocol.COMMAND);
    }

    @Test
    void everyCodeHasItsNumberAndAName() {
        byte[] bytes = request(4, 0, Protocol.COMMAND);
        Command command = new Command();
        for (int code = 0; code < 256; code++) {
            bytes[1] = (byte) code;
            assertThat(command.wrap(bytes, 0, bytes.length)).isEqualTo(Parse.OK);
            assertThat(command.code()).isEqualTo(code);
        }
        assertThat(CommandCode.name(CommandCode.STAT)).isEqualTo("stat");
        assertThat(CommandCode.name(100)).isEqualTo("cmd-100");
    }

    @Test
    void digestWordsAndShinglesAreLittleEndian() {
        byte[] bytes = request(4, 32, Protocol.SHINGLED_COMMAND);
        for (int i = 12; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        Command command = new Command();
        assertThat(command.wrap(bytes, 0, bytes.length)).isEqualTo(Parse.OK);
        assertThat(command.digestWord(0)).isEqualTo(0x131211100f0e0d0cL);
        assertThat(command.shingle(0)).isEqualTo(0x535251504f4e4d4cL);
        assertThatThrownBy(() -> command.shingle(32)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> command.digestWord(8)).isInstanceOf(IndexOutOfBoundsException.class);
        bytes[2] = 0;
        assertThatThrownBy(() -> command.shingle(0)).isInstanceOf(IllegalStateException.class);
    }
}
