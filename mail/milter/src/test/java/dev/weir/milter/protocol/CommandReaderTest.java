package dev.weir.milter.protocol;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class CommandReaderTest {
    static byte[] packet(char code, String data) {
        byte[] bytes = data.getBytes(StandardCharsets.ISO_8859_1);
        return ByteBuffer.allocate(5 + bytes.length).putInt(1 + bytes.length).put((byte) code).put(bytes).array();
    }

    private static CommandReader reader(byte[] bytes, BodyBudget budget) {
        return new CommandReader(new ByteArrayInputStream(bytes), budget.share());
    }

    private static Optional<MilterCommand> read(byte[] bytes) throws Exception {
        return reader(bytes, new BodyBudget(1 << 30)).next();
    }

    private static MilterCommand read(char code, String data) throws Exception {
        return read(packet(code, data)).orElseThrow();
    }

    @Test
    void readsWhatPostfixSends() throws Exception {
        assertThat(read('O', "\0\0\0\6\0\0\1\u00ff\0\37\u00ff\u00ff"))
                .isEqualTo(new MilterCommand.Negotiate(6, 0x1ff, 0x1fffff));
        assertThat(read('D', "Cj\0mx.example.org\0{daemon_name}\0mx\0v\0Postfix 3.7.11\0"))
                .isEqualTo(new MilterCommand.Macros('C',
                        Map.of("j", "mx.example.org", "daemon_name", "mx", "v", "Postfix 3.7.11")));
        assertThat(read('C', "mail.example\0004\37\220192.0.2.7\0")).isEqualTo(new MilterCommand.Connect("mail.example",
                Optional.of(InetAddress.ofLiteral("192.0.2.7"))));
        assertThat(read('C', "mail.example\0006\37\220IPv6:2001:db8::7\0")).isEqualTo(new MilterCommand.Connect(
                "mail.example", Optional.of(InetAddress.ofLiteral("2001:db8::7"))));
        assertThat(read('C', "localhost\0U")).isEqualTo(new MilterCommand.Connect("localhost", Optional.empty()));
        assertThat(read('H', "mail.example\0")).isEqualTo(new MilterCommand.Helo("mail.example"));
        assertThat(read('M', "<a@example.org>\0SIZE=100\0"))
                .isEqualTo(new MilterCommand.MailFrom(List.of("<a@example.org>", "SIZE=100")));
        assertThat(read('R', "<b@example.org>\0")).isEqualTo(new MilterCommand.RcptTo(List.of("<b@example.org>")));
        assertThat(read('L', "Subject\0 Gr\u00fc\u00dfe\n\tfolded\0"))
                .isEqualTo(new MilterCommand.Header("Subject", " Gr\u00fc\u00dfe\n\tfolded"));
        assertThat(read('B', "text\r\n")).isEqualTo(new MilterCommand.Body(
                ByteBuffer.wrap("text\r\n".getBytes(StandardCharsets.US_ASCII))));
        assertThat(read('E', "")).isEqualTo(new MilterCommand.EndOfBody(ByteBuffer.allocate(0)));
    }

    @ParameterizedTest
    @CsvSource({"T, DATA", "N, END_OF_HEADERS", "A, ABORT", "Q, QUIT", "K, QUIT_CLIENT", "U, UNKNOWN"})
    void readsCommandsWithoutContent(char code, MilterCommand.Bare expected) throws Exception {
        assertThat(read(code, "ignored")).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(chars = {'R', 'M', 'H', 'C', 'D', 'O', 'T'})
    void onlyPiecesOfAMailMayBeLong(char code) {
        byte[] packet = packet(code, "a".repeat(CommandReader.MAX_ENVELOPE));
        assertThatThrownBy(() -> read(packet)).isInstanceOf(MilterException.class)
                .hasMessageContaining("expected 1 to 65536");
    }

    @Test
    void aLongPacketTakesItsMemoryFromTheBudgetUntilTheNextOne() throws Exception {
        BodyBudget budget = new BodyBudget(100_000);
        byte[] piece = packet('B', "a".repeat(90_000));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(piece);
        bytes.writeBytes(packet('R', "<a@example.org>\0"));
        bytes.writeBytes(packet('B', "a".repeat(110_000)));
        CommandReader reader = reader(bytes.toByteArray(), budget);

        assertThat(reader.next()).containsInstanceOf(MilterCommand.Body.class);
        assertThat(budget.used()).isEqualTo(90_001);
        assertThat(reader.next()).containsInstanceOf(MilterCommand.RcptTo.class);
        assertThat(budget.used()).isZero();
        assertThatThrownBy(reader::next).isInstanceOf(HttpException.class);
    }

    @Test
    void anInvalidAddressIsUnknown() throws Exception {
        assertThat(read('C', "x\0004\0\31nonsense\0")).isEqualTo(new MilterCommand.Connect("x", Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"O\0\0\0\6", "D", "Cx\0", "Cx\0004\0", "Cx\0007\0\31x\0", "Hx", "M", "Mx", "Lname\0",
        "Lname\0value", "Di\0", "Z", "\0"})
    void refusesMalformedPackets(String packet) {
        assertThatThrownBy(() -> read(packet.charAt(0), packet.substring(1))).isInstanceOf(MilterException.class);
    }

    @Test
    void refusesSizesBeforeMemoryIsUsed() {
        for (int length : new int[]{0, -1, Integer.MIN_VALUE, CommandReader.MAX_PACKET + 1}) {
            assertThatThrownBy(() -> read(ByteBuffer.allocate(4).putInt(length).array()))
                    .isInstanceOf(MilterException.class).hasMessageContaining("expected 1 to");
        }
    }

    @Test
    void tellsAnEndFromACut() throws Exception {
        assertThat(read(new byte[0])).isEmpty();
        byte[] whole = packet('H', "mail.example\0");
        for (int length = 1; length < whole.length; length++) {
            byte[] cut = ByteBuffer.allocate(length).put(whole, 0, length).array();
            assertThatThrownBy(() -> read(cut)).isInstanceOf(EOFException.class);
        }
    }

    @Property(tries = 200, seed = "42")
    void everyTextSurvives(@ForAll @Size(max = 200) byte[] bytes) throws Exception {
        String text = new String(bytes, StandardCharsets.ISO_8859_1).replace('\0', ' ');
        assertThat(read('L', text + "\0" + text + "\0")).isEqualTo(new MilterCommand.Header(text, text));
    }
}
