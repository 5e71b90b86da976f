package dev.weir.hash.mime.charset;

import java.nio.charset.Charset;

import org.jspecify.annotations.Nullable;

/**
 * The UTF-8 text of each byte of a charset in which every byte is one character. Such a charset has no state, so a
 * table converts as its converter does. Immutable and thread-safe.
 */
final class SingleByteTable {
    private static final int BYTES = 0x100;

    private final byte[][] utf8;

    private SingleByteTable(byte[][] utf8) {
        this.utf8 = utf8;
    }

    /** Returns the table of a charset, or null if the charset has characters of several bytes. */
    static @Nullable SingleByteTable of(Charset charset) {
        if (!charset.canEncode() || charset.newEncoder().maxBytesPerChar() > 1) {
            return null;
        }
        byte[][] table = new byte[BYTES][];
        for (int b = 0; b < BYTES; b++) {
            byte[] converted = Conversion.toUtf8(new byte[]{(byte) b}, charset);
            if (converted == null) {
                return null;
            }
            table[b] = converted;
        }
        return new SingleByteTable(table);
    }

    /** Whether ASCII bytes keep their meaning. */
    boolean asciiStays() {
        for (int b = 0; b < 0x80; b++) {
            if (utf8[b].length != 1 || utf8[b][0] != b) {
                return false;
            }
        }
        return true;
    }

    /** Returns the text in UTF-8. */
    byte[] toUtf8(byte[] data) {
        int length = 0;
        for (byte b : data) {
            length += utf8[b & 0xff].length;
        }
        byte[] out = new byte[length];
        int at = 0;
        for (byte b : data) {
            for (byte part : utf8[b & 0xff]) {
                out[at++] = part;
            }
        }
        return out;
    }
}
