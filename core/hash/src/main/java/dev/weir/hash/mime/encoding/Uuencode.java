package dev.weir.hash.mime.encoding;

import java.util.Arrays;

import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * A decoder for uuencoded bodies (POSIX uuencode, historical algorithm), as lenient as Rspamd
 * (docs/reference/hashing.md#transfer-encodings).
 */
final class Uuencode {
    private Uuencode() {}

    /**
     * Decodes the body. If the data is not uuencoded, the result is the raw data, truncated to three quarters of its
     * length plus 12.
     */
    static byte[] decode(byte[] data, int from, int to) {
        byte @Nullable [] decoded = decodeLines(data, from, to);
        return decoded != null
                ? decoded
                : Arrays.copyOfRange(data, from, Math.min(to, from + (to - from) / 4 * 3 + 12));
    }

    private static byte @Nullable [] decodeLines(byte[] data, int from, int to) {
        int at = from;
        while (at < to && Ascii.isSpace(data[at])) {
            at++;
        }
        if (!Ascii.startsWithIgnoreCase(data, at, to, "begin ")) {
            return null;
        }
        byte[] out = new byte[(to - from) / 4 * 3 + 12];
        int length = 0;
        at = nextLine(data, at, to);
        while (at < to) {
            int end = at;
            while (end < to && !Ascii.isBreak(data[end])) {
                end++;
            }
            if (end - at == 3 && data[at] == 'e' && data[at + 1] == 'n' && data[at + 2] == 'd') {
                break;
            }
            if (end > at) {
                int count = sixBits(data[at]);
                int in = at + 1;
                if (!inAlphabet(data, in, Math.min(end, in + (count + 2) / 3 * 4))) {
                    return null;
                }
                for (int i = 0; i < count && length < out.length; i++) {
                    int group = in + i / 3 * 4;
                    int first = i % 3;
                    int high = value(data, group + first, end);
                    int low = value(data, group + first + 1, end);
                    out[length++] = (byte) (high << (2 * first + 2) | low >> (4 - 2 * first));
                }
            }
            at = nextLine(data, end, to);
        }
        return Arrays.copyOf(out, length);
    }

    private static boolean inAlphabet(byte[] data, int from, int to) {
        for (int i = from; i < to; i++) {
            if (data[i] < ' ' || data[i] > '`') {
                return false;
            }
        }
        return true;
    }

    private static int value(byte[] data, int at, int end) {
        return at < end ? sixBits(data[at]) : 0;
    }

    private static int sixBits(byte b) {
        return (b - ' ') & 0x3f;
    }

    private static int nextLine(byte[] data, int from, int to) {
        int at = from;
        while (at < to && !Ascii.isBreak(data[at])) {
            at++;
        }
        while (at < to && Ascii.isBreak(data[at])) {
            at++;
        }
        return at;
    }
}
