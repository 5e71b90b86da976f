package dev.weir.hash.mime.encoding;

import java.util.Arrays;

import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.bytes.EightBytes;

/**
 * A quoted-printable decoder that keeps malformed sequences as written, like Rspamd
 * (docs/reference/hashing.md#transfer-encodings).
 */
final class QuotedPrintable {
    private QuotedPrintable() {}

    static byte[] decode(byte[] data, int from, int to) {
        byte[] out = new byte[to - from];
        int length = 0;
        int i = from;
        while (i < to) {
            int escape = plainEnd(data, i, to, out, length);
            length += escape - i;
            i = escape + 1;
            if (i >= to) {
                if (escape < to) {
                    out[length++] = '=';
                }
                break;
            }
            byte next = data[i];
            if (next == '\r') {
                i += i + 1 < to && data[i + 1] == '\n' ? 2 : 1;
            } else if (next == '\n') {
                i++;
            } else {
                int high = Ascii.hex(next);
                int low = high >= 0 && i + 1 < to ? Ascii.hex(data[i + 1]) : -1;
                if (low >= 0) {
                    out[length++] = (byte) (high << 4 | low);
                    i += 2;
                } else {
                    out[length++] = '=';
                    out[length++] = next;
                    i++;
                    if (high >= 0 && i < to) {
                        out[length++] = data[i++];
                    }
                }
            }
        }
        return Arrays.copyOf(out, length);
    }

    /**
     * Copies what precedes the next equals sign, eight bytes at a time, because the lines of HTML have many. What it
     * copies beyond is overwritten.
     *
     * @param out has room for as many bytes as are left of {@code data}
     * @return position of the equals sign, or {@code to}
     */
    private static int plainEnd(byte[] data, int from, int to, byte[] out, int length) {
        int at = from;
        int shift = length - from;
        for (; at <= to - EightBytes.WIDTH; at += EightBytes.WIDTH) {
            long eight = EightBytes.at(data, at);
            EightBytes.put(out, at + shift, eight);
            int plain = EightBytes.before(eight, '=');
            if (plain < EightBytes.WIDTH) {
                return at + plain;
            }
        }
        for (; at < to && data[at] != '='; at++) {
            out[at + shift] = data[at];
        }
        return at;
    }
}
