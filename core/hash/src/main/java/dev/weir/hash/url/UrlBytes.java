package dev.weir.hash.url;

/** The byte classes of URLs. Each byte is a byte of UTF-8 text. */
final class UrlBytes {
    static final int SPACE = 1;
    private static final int ALNUM = 2;
    private static final int DOMAIN = 4;
    private static final int URL_SAFE = 8;
    private static final int MAIL_SAFE = 16;
    private static final int DIGIT = 32;
    static final int CLOSER = 64;
    /** Ends the search for user information: an {@code @}, or a byte that ends a host. */
    static final int USER_END = 128;
    /** An {@code @}. */
    static final int AT = 256;
    private static final short[] CLASS = new short[256];

    static {
        mark(SPACE, 9, 13);
        mark(SPACE, ' ', ' ');
        for (int kind : new int[]{ALNUM, DOMAIN, URL_SAFE, MAIL_SAFE}) {
            mark(kind, '0', '9');
            mark(kind, 'A', 'Z');
            mark(kind, 'a', 'z');
        }
        mark(DIGIT, '0', '9');
        markAll(DOMAIN, "%-.\\^_");
        mark(DOMAIN, 0x80, 0xff);
        markAll(URL_SAFE, "\"%-.<>\\");
        mark(URL_SAFE, '^', '~');
        mark(URL_SAFE, 0x80, 0xff);
        markAll(MAIL_SAFE, "!\"#$%'*+,-./\\");
        mark(MAIL_SAFE, '^', '~');
        markAll(CLOSER, "')>]}");
        markAll(USER_END, "@/?#");
        markAll(AT, "@");
    }

    private UrlBytes() {}

    private static void mark(int kind, int from, int to) {
        for (int b = from; b <= to; b++) {
            CLASS[b] |= (short) kind;
        }
    }

    private static void markAll(int kind, String bytes) {
        bytes.chars().forEach(b -> mark(kind, b, b));
    }

    /** Whether a byte is in one of the classes. */
    static boolean is(byte b, int kind) {
        return (CLASS[b & 0xff] & kind) != 0;
    }

    /** TAB, LF, VT, FF, CR and space. */
    static boolean space(byte b) {
        return is(b, SPACE);
    }

    static boolean alnum(byte b) {
        return is(b, ALNUM);
    }

    static boolean digit(byte b) {
        return is(b, DIGIT);
    }

    static boolean domain(byte b) {
        return is(b, DOMAIN);
    }

    static boolean urlSafe(byte b) {
        return is(b, URL_SAFE);
    }

    static boolean mailSafe(byte b) {
        return is(b, MAIL_SAFE);
    }

    /** Ends a URL, besides white space: a closing bracket or an apostrophe. */
    static boolean closer(byte b) {
        return is(b, CLOSER);
    }

    static int hex(byte b) {
        return Character.digit(b, 16);
    }

    static byte lower(byte b) {
        return b >= 'A' && b <= 'Z' ? (byte) (b + 32) : b;
    }
}
