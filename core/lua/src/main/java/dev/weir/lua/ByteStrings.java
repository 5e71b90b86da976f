package dev.weir.lua;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** The conversions of byte strings in {@code rspamd_util} and {@code rspamd_text}. */
final class ByteStrings {
    private static final String BASE32 = "ybndrfg8ejkmcpqxot1uwisza345h769";

    private ByteStrings() {}

    static boolean isUtf8(byte[] bytes) {
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }

    /** Encodes five bits per character, low bits first, as Rspamd writes keys. */
    static String toBase32(byte[] bytes) {
        StringBuilder out = new StringBuilder();
        int bits = 0;
        int count = 0;
        for (byte b : bytes) {
            bits |= (b & 0xff) << count;
            count += 8;
            while (count >= 5) {
                out.append(BASE32.charAt(bits & 31));
                bits >>>= 5;
                count -= 5;
            }
        }
        if (count > 0) {
            out.append(BASE32.charAt(bits & 31));
        }
        return out.toString();
    }

    /**
     * Decodes the text; returns null if it contains a character outside the alphabet. Five leftover bits yield one more
     * byte, as in Rspamd.
     */
    static byte @Nullable [] fromBase32(String text) {
        byte[] out = new byte[text.length() * 5 / 8 + 1];
        int bits = 0;
        int count = 0;
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            int value = BASE32.indexOf(Character.toLowerCase(text.charAt(i)));
            if (value < 0) {
                return null;
            }
            bits |= value << count;
            count += 5;
            if (count >= 8) {
                out[length++] = (byte) bits;
                bits >>>= 8;
                count -= 8;
            }
        }
        if (count >= 5) {
            out[length++] = (byte) bits;
        }
        return Arrays.copyOf(out, length);
    }

    /** Returns the bytes of a numeric address, or null; never resolves a name. */
    static byte @Nullable [] address(String text) {
        try {
            return InetAddress.ofLiteral(text).getAddress();
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
