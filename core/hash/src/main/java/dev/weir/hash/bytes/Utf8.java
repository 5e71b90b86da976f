package dev.weir.hash.bytes;

import java.nio.charset.StandardCharsets;

/** Validation of UTF-8 (RFC 3629). */
public final class Utf8 {
    private Utf8() {}

    /**
     * Returns the length (1 to 4) of the valid sequence that starts at {@code at}, or 0 if the bytes there are invalid.
     * Overlong forms, surrogates and code points above U+10FFFF are invalid.
     */
    public static int sequence(byte[] data, int at, int to) {
        int lead = data[at];
        if (lead >= 0) {
            return 1;
        }
        lead &= 0xff;
        if (lead < 0xc2 || lead > 0xf4) {
            return 0;
        }
        int length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if (to - at < length) {
            return 0;
        }
        int second = data[at + 1] & 0xff;
        int low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        int high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (second < low || second > high) {
            return 0;
        }
        for (int i = 2; i < length; i++) {
            if ((data[at + i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        return length;
    }

    /** Returns the code point of the valid sequence of {@code length} bytes at {@code at}. */
    public static int codePoint(byte[] data, int at, int length) {
        int c = length == 1 ? data[at] : data[at] & (0x7f >> length);
        for (int i = 1; i < length; i++) {
            c = c << 6 | (data[at + i] & 0x3f);
        }
        return c;
    }

    public static boolean isValid(byte[] data) {
        for (int i = ByteSearch.indexOfHigh(data, 0, data.length); i < data.length;) {
            int length = sequence(data, i, data.length);
            if (length == 0) {
                return false;
            }
            i = ByteSearch.indexOfHigh(data, i + length, data.length);
        }
        return true;
    }

    /** Returns a copy in which {@code replacement} stands for each byte outside a valid sequence. */
    public static byte[] replaceInvalid(byte[] data, byte replacement) {
        byte[] out = data.clone();
        for (int i = 0; i < out.length;) {
            int length = sequence(data, i, data.length);
            if (length == 0) {
                out[i] = replacement;
                length = 1;
            }
            i += length;
        }
        return out;
    }

    public static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
