package dev.weir.hash.mime.encoding;

import java.util.Arrays;

/**
 * A base64 decoder that accepts any input (docs/reference/hashing.md#transfer-encodings). It skips bytes outside the
 * alphabet, continues after padding, and drops leftover bits at the end.
 */
public final class LenientBase64 {
    private static final byte[] VALUES = new byte[256];

    static {
        Arrays.fill(VALUES, (byte) -1);
        String alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for (int i = 0; i < alphabet.length(); i++) {
            VALUES[alphabet.charAt(i)] = (byte) i;
        }
    }

    private LenientBase64() {}

    public static byte[] decode(byte[] data, int from, int to) {
        byte[] out = new byte[(to - from) / 4 * 3 + 3];
        int length = 0;
        int bits = 0;
        int phase = 0;
        for (int i = from; i < to; i++) {
            if (phase == 0) {
                for (int group = group(data, i, to); group >= 0; group = group(data, i, to)) {
                    out[length] = (byte) (group >> 16);
                    out[length + 1] = (byte) (group >> 8);
                    out[length + 2] = (byte) group;
                    length += 3;
                    i += 4;
                }
                if (i >= to) {
                    break;
                }
            }
            int value = VALUES[data[i] & 0xff];
            if (value < 0) {
                if (phase == 2 && data[i] == '=' && i + 1 < to) {
                    // The group holds one byte. Skip the second '=', whatever byte is in its place.
                    phase = 0;
                    i++;
                } else {
                    while (i + 1 < to && VALUES[data[i + 1] & 0xff] < 0) {
                        i++;
                    }
                }
                continue;
            }
            bits = bits << 6 | value;
            switch (phase) {
                case 0 -> phase = 1;
                case 1 -> {
                    out[length++] = (byte) (bits >> 4);
                    phase = 2;
                }
                case 2 -> {
                    out[length++] = (byte) (bits >> 2);
                    phase = 3;
                }
                default -> {
                    out[length++] = (byte) bits;
                    phase = 0;
                }
            }
        }
        return Arrays.copyOf(out, length);
    }

    /** Returns the 24 bits of the four characters at {@code at}, or a negative number if they are no whole group. */
    private static int group(byte[] data, int at, int to) {
        if (to - at < 4) {
            return -1;
        }
        return VALUES[data[at] & 0xff] << 18 | VALUES[data[at + 1] & 0xff] << 12 | VALUES[data[at + 2] & 0xff] << 6
                | VALUES[data[at + 3] & 0xff];
    }
}
