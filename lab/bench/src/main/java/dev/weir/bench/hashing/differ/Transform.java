package dev.weir.bench.hashing.differ;

import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** A change of bytes that a grammar asks for by name: a transfer encoding, or the Java name of a charset. */
@FunctionalInterface
interface Transform {
    /** Longest line of quoted-printable text in bytes, without the soft line break. */
    int QUOTED_LINE = 75;

    /** Returns the changed bytes. */
    byte[] apply(byte[] bytes);

    /**
     * Returns the transform of a name: {@code base64} (lines of 76), {@code word} (base64 without line breaks),
     * {@code quoted}, or a charset, which expects UTF-8 and replaces what it lacks by a question mark.
     *
     * @throws IllegalArgumentException if no transform has this name
     */
    static Transform of(String name) {
        return switch (name) {
            case "base64" -> bytes -> Base64.getMimeEncoder().encode(bytes);
            case "word" -> bytes -> Base64.getEncoder().encode(bytes);
            case "quoted" -> Transform::quoted;
            default -> {
                Charset charset = Charset.forName(name);
                yield bytes -> new String(bytes, StandardCharsets.UTF_8).getBytes(charset);
            }
        };
    }

    private static byte[] quoted(byte[] bytes) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int column = 0;
        for (int i = 0; i < bytes.length; i++) {
            byte b = bytes[i];
            if (b == '\n' || b == '\r') {
                out.write(b);
                column = 0;
                continue;
            }
            boolean ends = i + 1 == bytes.length || bytes[i + 1] == '\n' || bytes[i + 1] == '\r';
            boolean plain = b >= ' ' && b <= '~' && b != '=' && !(b == ' ' && ends);
            int width = plain ? 1 : 3;
            if (column + width > QUOTED_LINE) {
                out.writeBytes(new byte[]{'=', '\n'});
                column = 0;
            }
            if (plain) {
                out.write(b);
            } else {
                out.writeBytes("=%02X".formatted(b & 0xff).getBytes(StandardCharsets.US_ASCII));
            }
            column += width;
        }
        return out.toByteArray();
    }
}
