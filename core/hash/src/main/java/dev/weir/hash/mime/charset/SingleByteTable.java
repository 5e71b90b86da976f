package dev.weir.hash.mime.charset;

import java.nio.charset.Charset;

import dev.weir.hash.bytes.ByteSearch;
import org.jspecify.annotations.Nullable;

/**
 * The UTF-8 text of each byte of a charset in which every byte is one character. Such a charset has no state, so a
 * table converts as its converter does. Immutable and thread-safe.
 */
final class SingleByteTable {
    private static final int BYTES = 0x100;

    private final byte[][] utf8;
    /** Length of each of {@link #utf8}. */
    private final byte[] widths = new byte[BYTES];
    private final boolean asciiStays;

    private SingleByteTable(byte[][] utf8) {
        this.utf8 = utf8;
        this.asciiStays = asciiStays(utf8);
        for (int b = 0; b < BYTES; b++) {
            widths[b] = (byte) utf8[b].length;
        }
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

    private static boolean asciiStays(byte[][] utf8) {
        for (int b = 0; b < 0x80; b++) {
            if (utf8[b].length != 1 || utf8[b][0] != b) {
                return false;
            }
        }
        return true;
    }

    /** Whether ASCII bytes keep their meaning. */
    boolean asciiStays() {
        return asciiStays;
    }

    /** Returns the text in UTF-8. */
    byte[] toUtf8(byte[] data) {
        int length = 0;
        for (byte b : data) {
            length += widths[b & 0xff];
        }
        byte[] out = new byte[length];
        int at = 0;
        for (int i = 0; i < data.length; i++) {
            int plain = asciiStays ? ByteSearch.indexOfHigh(data, i, data.length) : i;
            System.arraycopy(data, i, out, at, plain - i);
            at += plain - i;
            i = plain;
            if (i < data.length) {
                for (byte part : utf8[data[i] & 0xff]) {
                    out[at++] = part;
                }
            }
        }
        return out;
    }
}
