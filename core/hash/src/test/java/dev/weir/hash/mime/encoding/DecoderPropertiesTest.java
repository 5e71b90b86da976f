package dev.weir.hash.mime.encoding;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import dev.weir.hash.bytes.Ascii;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of the transfer decoders: they invert correct encoders and give Rspamd's answers for malformed input. */
final class DecoderPropertiesTest {
    @Property(seed = "4101", tries = 300)
    void base64InvertsTheEncoderOfTheJdk(@ForAll @Size(max = 500) byte[] data) {
        byte[] plain = Base64.getEncoder().encode(data);
        byte[] lines = Base64.getMimeEncoder().encode(data);
        assertThat(LenientBase64.decode(plain, 0, plain.length)).isEqualTo(data);
        assertThat(LenientBase64.decode(lines, 0, lines.length)).isEqualTo(data);
    }

    @Property(seed = "4102", tries = 300)
    void quotedPrintableInvertsFullEncoding(@ForAll @Size(max = 500) byte[] data) {
        StringBuilder encoded = new StringBuilder();
        for (int i = 0; i < data.length; i++) {
            encoded.append("=%02X".formatted(data[i]));
            if (i % 20 == 19) {
                encoded.append("=\r\n");
            }
        }
        byte[] bytes = Ascii.bytes(encoded.toString());
        assertThat(QuotedPrintable.decode(bytes, 0, bytes.length)).isEqualTo(data);
    }

    @Property(seed = "4105", tries = 300)
    void quotedPrintableKeepsPlainBytesBetweenEscapes(@ForAll @Size(max = 500) byte[] data,
            @ForAll @Size(min = 1, max = 40) boolean[] escaped) {
        StringBuilder encoded = new StringBuilder("=41");
        for (int i = 0; i < data.length; i++) {
            boolean plain = data[i] != '=' && !escaped[i % escaped.length];
            encoded.append(plain ? Character.toString(data[i] & 0xff) : "=%02x".formatted(data[i]));
        }
        byte[] bytes = Ascii.bytes(encoded.toString());
        assertThat(Ascii.text(QuotedPrintable.decode(bytes, 3, bytes.length), 0, data.length))
                .isEqualTo(Ascii.text(data, 0, data.length));
    }

    @Property(seed = "4103", tries = 300)
    void uuencodeInvertsThePosixEncoder(@ForAll @Size(max = 300) byte[] data) {
        byte[] encoded = uuencode(data);
        assertThat(Uuencode.decode(encoded, 0, encoded.length)).isEqualTo(data);
    }

    @Property(seed = "4104", tries = 300)
    void noDecoderFailsOrLengthens(@ForAll @Size(max = 300) byte[] data) {
        for (TransferEncoding encoding : TransferEncoding.values()) {
            assertThat(encoding.decode(data, 0, data.length).length).isLessThanOrEqualTo(data.length);
        }
    }

    private static byte[] uuencode(byte[] data) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("begin 644 f\n".getBytes(StandardCharsets.US_ASCII));
        for (int from = 0; from < data.length; from += 45) {
            int count = Math.min(45, data.length - from);
            out.write(' ' + count);
            for (int i = 0; i < count; i += 3) {
                int group = 0;
                for (int j = 0; j < 3; j++) {
                    group = group << 8 | (i + j < count ? data[from + i + j] & 0xff : 0);
                }
                for (int shift = 18; shift >= 0; shift -= 6) {
                    int value = group >> shift & 0x3f;
                    out.write(value == 0 ? '`' : ' ' + value);
                }
            }
            out.write('\n');
        }
        out.writeBytes("`\nend\n".getBytes(StandardCharsets.US_ASCII));
        return out.toByteArray();
    }

    @ParameterizedTest
    @CsvSource({"SGVsbA==SGVsbA==, HellHell", "SGVsbG8g!!!d29ybGQh, Hello world!", "SGVsbG8, Hello",
        "SGVsb, Hel"})
    void decodesMalformedBase64(String encoded, String expected) {
        byte[] data = Ascii.bytes(encoded);
        byte[] decoded = LenientBase64.decode(data, 0, data.length);
        assertThat(Ascii.text(decoded, 0, decoded.length)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"a=3D=3d, a==", "a=zz, a=zz", "a=4z, a=4z", "'a= b', 'a= b'", "a=, a="})
    void decodesMalformedQuotedPrintable(String encoded, String expected) {
        byte[] data = Ascii.bytes(encoded);
        byte[] decoded = QuotedPrintable.decode(data, 0, data.length);
        assertThat(Ascii.text(decoded, 0, decoded.length)).isEqualTo(expected);
    }
}
