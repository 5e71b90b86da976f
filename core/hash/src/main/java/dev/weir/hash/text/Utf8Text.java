package dev.weir.hash.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/** A view of UTF-8 bytes, possibly invalid ones, as a string whose character offsets map to byte offsets. */
final class Utf8Text {
    private final byte[] utf8;
    private final String chars;
    /** Byte offset of each character; null for valid UTF-8, where the characters determine their widths. */
    private final int @Nullable [] offsets;
    private final boolean ascii;
    /** Number of characters before the first malformed byte. */
    private final int wellFormed;

    private Utf8Text(byte[] utf8, String chars, int @Nullable [] offsets, boolean ascii, int wellFormed) {
        this.utf8 = utf8;
        this.chars = chars;
        this.offsets = offsets;
        this.ascii = ascii;
        this.wellFormed = wellFormed;
    }

    static Utf8Text of(byte[] utf8) {
        String text = new String(utf8, StandardCharsets.UTF_8);
        if (text.indexOf('\ufffd') < 0) {
            return new Utf8Text(utf8, text, null, text.length() == utf8.length, text.length());
        }
        return decodeLoosely(utf8);
    }

    String chars() {
        return chars;
    }

    boolean isAscii() {
        return ascii;
    }

    /** Returns the characters before the first malformed byte. */
    String wellFormed() {
        return chars.substring(0, wellFormed);
    }

    /**
     * Returns the byte offset of {@code toChar}, starting from a character with a known offset.
     *
     * @param fromChar not after {@code toChar}
     */
    int byteOffset(int fromChar, int fromByte, int toChar) {
        if (ascii) {
            return toChar;
        }
        if (offsets != null) {
            return offsets[toChar];
        }
        int bytes = fromByte;
        for (int i = fromChar; i < toChar; i++) {
            char c = chars.charAt(i);
            if (c < 0x80) {
                bytes++;
            } else if (c < 0x800 || Character.isSurrogate(c)) {
                bytes += 2;
            } else {
                bytes += 3;
            }
        }
        return bytes;
    }

    /**
     * Returns the character at byte {@code toByte}, or the first one after it, starting from a known position.
     *
     * @param fromChar the character at {@code fromByte}, or the first one after it
     * @param fromByte not after {@code toByte}
     */
    int charOffset(int fromChar, int fromByte, int toByte) {
        if (ascii) {
            return toByte;
        }
        int i = fromChar;
        if (offsets != null) {
            while (i < chars.length() && offsets[i] < toByte) {
                i++;
            }
            return i;
        }
        int bytes = fromByte;
        while (bytes < toByte && (utf8[bytes] & 0xc0) == 0x80) {
            bytes++;
        }
        while (i < chars.length() && bytes < toByte) {
            bytes = byteOffset(i, bytes, i + 1);
            i++;
        }
        return i;
    }

    /**
     * Returns whether a byte offset is between the bytes of a character. A malformed byte is a character of its own.
     *
     * @param atChar the character at {@code at}, or the first one after it
     */
    boolean isInside(int at, int atChar) {
        return offsets == null ? at < utf8.length && (utf8[at] & 0xc0) == 0x80 : offsets[atChar] != at;
    }

    private static Utf8Text decodeLoosely(byte[] s) {
        StringBuilder text = new StringBuilder(s.length);
        int[] offsets = new int[s.length + 1];
        int wellFormed = -1;
        int i = 0;
        while (i < s.length) {
            int width = sequence(s, i);
            if (width <= 0) {
                wellFormed = wellFormed < 0 ? text.length() : wellFormed;
                offsets[text.length()] = i;
                text.append('\ufffd');
                i += Math.max(1, -width);
                continue;
            }
            int code = switch (width) {
                case 1 -> s[i];
                case 2 -> ((s[i] & 0x1f) << 6) | (s[i + 1] & 0x3f);
                case 3 -> ((s[i] & 0x0f) << 12) | ((s[i + 1] & 0x3f) << 6) | (s[i + 2] & 0x3f);
                default -> ((s[i] & 0x07) << 18) | ((s[i + 1] & 0x3f) << 12) | ((s[i + 2] & 0x3f) << 6)
                        | (s[i + 3] & 0x3f);
            };
            offsets[text.length()] = i;
            if (width == 4) {
                offsets[text.length() + 1] = i;
            }
            text.appendCodePoint(code);
            i += width;
        }
        offsets[text.length()] = s.length;
        return new Utf8Text(s, text.toString(), Arrays.copyOf(offsets, text.length() + 1), false,
                wellFormed < 0 ? text.length() : wellFormed);
    }

    /**
     * Returns the width of the valid sequence at {@code i}. If it is invalid, returns the negative length of its
     * longest valid prefix, or 0 without one.
     */
    private static int sequence(byte[] s, int i) {
        int b = s[i] & 0xff;
        if (b < 0x80) {
            return 1;
        }
        if (b < 0xc2 || b > 0xf4) {
            return 0;
        }
        int width = b < 0xe0 ? 2 : b < 0xf0 ? 3 : 4;
        for (int k = 1; k < width; k++) {
            if (i + k >= s.length) {
                return -k;
            }
            int c = s[i + k] & 0xff;
            int low = k > 1 ? 0x80 : b == 0xe0 ? 0xa0 : b == 0xf0 ? 0x90 : 0x80;
            int high = k > 1 ? 0xbf : b == 0xed ? 0x9f : b == 0xf4 ? 0x8f : 0xbf;
            if (c < low || c > high) {
                return -k;
            }
        }
        return width;
    }
}
