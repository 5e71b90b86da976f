package dev.weir.hash.mime.charset.detect;

/** A run of base64 after a plus sign, which may be text in UTF-7. */
final class Base64Run {
    /** A length that no run of UTF-7 has. */
    private static final int DRAWING = 81;
    private static final String VALUES = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    private Base64Run() {}

    /** Returns the number of base64 characters; a run up to the end of the text counts one less. */
    static int length(byte[] text, int start) {
        if (text.length - start > 3 && text[start] == '+' && text[start + 1] == '+' && text[start + 2] == '+') {
            return DRAWING;
        }
        int end = start;
        while (end < text.length - 1 && value(text[end]) >= 0) {
            end++;
        }
        return end - start;
    }

    private static int value(byte b) {
        return VALUES.indexOf(b);
    }

    /** Whether a run has letters, zeros and few plus signs as UTF-7 does, and padding of zero bits. */
    static boolean isUnicode(byte[] text, int start, int length) {
        int plus = 0;
        int small = 0;
        int capital = 0;
        int zero = 0;
        for (int i = start; i < start + length; i++) {
            byte b = text[i];
            if (b >= 'a' && b <= 'z') {
                small++;
            } else if (b >= 'A' && b <= 'Z') {
                capital++;
            } else if (b == '0') {
                zero++;
            } else if (b == '+') {
                plus++;
            }
        }
        int expected = 1 + length / 16;
        if (plus > expected || small < expected || capital < expected || zero < 1 + length / 32) {
            return false;
        }
        int last = value(text[start + length - 1]);
        return switch (length & 7) {
            case 3 -> (last & 3) == 0;
            case 6 -> (last & 15) == 0;
            default -> true;
        };
    }
}
