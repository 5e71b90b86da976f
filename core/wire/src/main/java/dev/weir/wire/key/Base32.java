package dev.weir.wire.key;

import java.util.Arrays;
import java.util.Optional;

/**
 * The base32 encoding that Rspamd uses for keys and identifiers (docs/reference/protocol.md#base32). It uses the
 * alphabet of z-base-32 but is not z-base-32, because the lowest bits come first. The bytes form one little-endian
 * number, and each character holds its next five bits.
 */
public final class Base32 {
    private static final String ALPHABET = "ybndrfg8ejkmcpqxot1uwisza345h769";
    private static final int BITS = 5;
    private static final byte[] VALUES = values();

    private Base32() {}

    private static byte[] values() {
        byte[] values = new byte[128];
        Arrays.fill(values, (byte) -1);
        for (int i = 0; i < ALPHABET.length(); i++) {
            values[ALPHABET.charAt(i)] = (byte) i;
        }
        return values;
    }

    /** Encodes to ceil(8n/5) characters. */
    public static String encode(byte[] bytes) {
        return encode(bytes, 0, bytes.length);
    }

    /** Encodes a range of an array. */
    public static String encode(byte[] bytes, int offset, int length) {
        StringBuilder text = new StringBuilder((int) ((length * 8L + BITS - 1) / BITS));
        int held = 0;
        int bits = 0;
        for (int i = 0; i < length; i++) {
            held |= (bytes[offset + i] & 0xff) << bits;
            for (bits += 8; bits >= BITS; bits -= BITS) {
                text.append(ALPHABET.charAt(held & 31));
                held >>>= BITS;
            }
        }
        if (bits > 0) {
            text.append(ALPHABET.charAt(held & 31));
        }
        return text.toString();
    }

    /**
     * Decodes a text. As in Rspamd, a text whose length no encoding has decodes to one more, partial byte.
     *
     * @return empty if a character is not in the alphabet; capital letters are not
     */
    public static Optional<byte[]> decode(CharSequence text) {
        byte[] bytes = new byte[(int) ((text.length() * (long) BITS + 7) / 8)];
        int at = 0;
        int held = 0;
        int bits = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int value = c < VALUES.length ? VALUES[c] : -1;
            if (value < 0) {
                return Optional.empty();
            }
            // A full byte is written only when another character follows. This rule determines the length of the
            // result.
            if (bits >= 8) {
                bytes[at++] = (byte) held;
                held >>>= 8;
                bits -= 8;
            }
            held |= value << bits;
            bits += BITS;
        }
        if (bits > 0) {
            bytes[at++] = (byte) held;
        }
        return Optional.of(at == bytes.length ? bytes : Arrays.copyOf(bytes, at));
    }
}
