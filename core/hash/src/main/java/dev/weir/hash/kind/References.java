package dev.weir.hash.kind;

/** A decoder for the character references that occur in addresses: numbers, and the one for an ampersand. */
final class References {
    private static final int LONGEST = 8;

    private References() {}

    static String decode(String value) {
        int at = value.indexOf('&');
        if (at < 0) {
            return value;
        }
        StringBuilder out = new StringBuilder(value.length());
        int from = 0;
        while (at >= 0) {
            out.append(value, from, at);
            from = at + reference(value, at, out);
            at = value.indexOf('&', from);
        }
        return out.append(value, from, value.length()).toString();
    }

    /** Appends what the reference stands for. Returns its length. */
    private static int reference(String value, int at, StringBuilder out) {
        if (value.startsWith("&amp;", at)) {
            out.append('&');
            return 5;
        }
        int end = value.indexOf(';', at);
        if (end > at + 2 && end - at <= LONGEST + 2 && value.charAt(at + 1) == '#') {
            boolean hex = (value.charAt(at + 2) | 0x20) == 'x';
            int code = number(value, at + (hex ? 3 : 2), end, hex ? 16 : 10);
            if (Character.isValidCodePoint(code) && code > 0) {
                out.appendCodePoint(code);
                return end + 1 - at;
            }
        }
        out.append('&');
        return 1;
    }

    private static int number(String value, int from, int to, int radix) {
        int code = from < to ? 0 : -1;
        for (int i = from; i < to; i++) {
            int digit = Character.digit(value.charAt(i), radix);
            if (digit < 0 || code > Character.MAX_CODE_POINT) {
                return -1;
            }
            code = code * radix + digit;
        }
        return code;
    }
}
