package dev.weir.hash.url;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

import com.ibm.icu.text.Normalizer2;
import com.ibm.icu.text.StringPrep;
import com.ibm.icu.text.StringPrepParseException;
import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;

/** Normalization of host names from the bytes between {@code //} and {@code /}. */
final class Hosts {
    /** Maximum length of a host in bytes as written. */
    static final int MAX_LENGTH = 253;
    private static final StringPrep NAMES = StringPrep.getInstance(StringPrep.RFC3491_NAMEPREP);

    private Hosts() {}

    /**
     * Normalizes a host: decodes percent escapes, drops zero-width characters, applies NFKC, replaces ideographic full
     * stops by dots, prepares the name by RFC 3491 and converts it to lower case. A trailing dot stays.
     *
     * @return null if the host is empty, too long, invalid UTF-8, or cannot be prepared
     */
    static @Nullable String normalise(byte[] s, int from, int to) {
        if (to - from > MAX_LENGTH || from >= to) {
            return null;
        }
        boolean plain = true;
        for (int i = from; i < to && plain; i++) {
            plain = s[i] > 0 && s[i] != '%' && s[i] != '+';
        }
        String host = plain ? new String(s, from, to - from, StandardCharsets.US_ASCII) : decode(s, from, to);
        if (host == null || host.isEmpty()) {
            return null;
        }
        return host.toLowerCase(Locale.ROOT);
    }

    /** Returns a name without the dot that marks it as fully qualified. */
    static String withoutDot(String host) {
        return host.length() > 1 && host.endsWith(".") && !host.endsWith("..")
                ? host.substring(0, host.length() - 1)
                : host;
    }

    /** Decodes and prepares a name as {@link #normalise} does, but keeps the case. */
    static @Nullable String decode(byte[] s, int from, int to) {
        byte[] out = new byte[to - from];
        int n = 0;
        for (int i = from; i < to; i++) {
            byte b = s[i];
            if (b != '%') {
                out[n++] = b == '+' ? (byte) ' ' : b;
            } else if (i + 1 < to && UrlBytes.hex(s[i + 1]) < 0) {
                out[n++] = s[++i];
            } else {
                // After one hexadecimal digit, the next byte is dropped even if it is none.
                if (i + 2 < to && UrlBytes.hex(s[i + 2]) >= 0) {
                    out[n++] = (byte) (UrlBytes.hex(s[i + 1]) * 16 + UrlBytes.hex(s[i + 2]));
                }
                i += 2;
            }
        }
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(out, 0, n)).toString();
        } catch (CharacterCodingException notUtf8) {
            return null;
        }
        return prepare(fitting(Normalizer2.getNFKCInstance().normalize(text), n));
    }

    /**
     * Returns the beginning of a normalized name that Rspamd can write over {@code size} bytes. Some characters of
     * width zero are dropped before, others after it.
     */
    private static String fitting(String name, int size) {
        StringBuilder kept = new StringBuilder(name.length());
        int bytes = 0;
        for (int i = 0; i < name.length();) {
            int c = name.codePointAt(i);
            i += Character.charCount(c);
            boolean dropped = c == 0xad || c == 0x200b || c == 0x200c;
            bytes += dropped ? 0 : c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            if (bytes > size) {
                break;
            }
            switch (c) {
                case 0x3002, 0xff0e, 0xff61 -> kept.append('.');
                case 0xad, 0x200b, 0x200c, 0x200d, 0x2060, 0xfeff -> {
                }
                default -> kept.appendCodePoint(c);
            }
        }
        return kept.toString();
    }

    /** Prepares a name by RFC 3491. A name that would become longer is refused, for example one with a sharp s. */
    private static @Nullable String prepare(String name) {
        if (Ascii.isAscii(name)) {
            return name;
        }
        try {
            String prepared = NAMES.prepare(name, StringPrep.DEFAULT);
            return prepared.length() > name.length() ? null : prepared;
        } catch (StringPrepParseException | IndexOutOfBoundsException refused) {
            // ICU throws the second one while it describes a refused character far from the start of the name.
            return null;
        }
    }

    /**
     * Parses an IPv4 address in any notation that browsers accept: one to four numbers, decimal, octal or hexadecimal.
     * With fewer than four numbers, the last one fills the low bytes.
     *
     * @return the dotted form, or null
     */
    static @Nullable String ipv4(String host) {
        int length = host.length();
        if (length == 0 || length > 64) {
            return null;
        }
        for (int i = 0; i < length; i++) {
            char c = host.charAt(i);
            if (c >= 0x80 || (Character.digit(c, 16) < 0 && c != '.' && c != 'x')) {
                return null;
            }
        }
        String[] parts = host.split("\\.+", 0);
        if (parts.length == 0 || parts.length > 4) {
            return null;
        }
        long[] numbers = new long[parts.length];
        for (int i = 0; i < parts.length; i++) {
            long n = number(parts[i]);
            if (n < 0) {
                return null;
            }
            numbers[i] = n & 0xffff_ffffL;
        }
        long address = 0;
        int last = parts.length - 1;
        for (int i = 0; i < last; i++) {
            address |= ((numbers[i] << 24) >>> (8 * i)) & 0xffff_ffffL;
        }
        address |= numbers[last] & (0xffff_ffffL >>> (8 * last));
        return dotted(address);
    }

    private static String dotted(long address) {
        return (address >>> 24) + "." + ((address >>> 16) & 255) + "." + ((address >>> 8) & 255) + "."
                + (address & 255);
    }

    private static long number(String s) {
        if (s.isEmpty() || s.length() > 14) {
            return -1;
        }
        try {
            if (s.startsWith("0x")) {
                return s.length() == 2 ? -1 : Long.parseLong(s, 2, s.length(), 16);
            }
            boolean octal = s.length() > 1 && s.charAt(0) == '0' && s.chars().allMatch(c -> c >= '0' && c < '8');
            return Long.parseLong(s, octal ? 8 : 10);
        } catch (NumberFormatException noNumber) {
            return -1;
        }
    }

    /**
     * Returns the shortest text of an IPv6 literal without brackets, or null if it has other characters than
     * hexadecimal digits, colons and dots.
     */
    static @Nullable String ipv6(byte[] s, int from, int to) {
        int colons = 0;
        if (to - from < 2 || to - from > 45) {
            return null;
        }
        for (int i = from; i < to; i++) {
            if (s[i] == ':') {
                colons++;
            } else if (s[i] != '.' && UrlBytes.hex(s[i]) < 0) {
                return null;
            }
        }
        String text = new String(s, from, to - from, StandardCharsets.US_ASCII).toLowerCase(Locale.ROOT);
        if (colons == 0) {
            return ipv4(text);
        }
        return colons >= 2 && colons <= 8 ? canonical(text) : null;
    }

    /** Returns the shortest form of an IPv6 address, or the text itself if it is not an address. */
    private static String canonical(String text) {
        byte[] address;
        try {
            address = InetAddress.ofLiteral(text).getAddress();
        } catch (IllegalArgumentException noAddress) {
            return text;
        }
        if (address.length == 4) {
            return "::ffff:" + dotted(twoWords(address, 0));
        }
        int best = -1;
        int longest = 1; // a single zero stays
        for (int i = 0; i < 8; i++) {
            int end = i;
            while (end < 8 && word(address, end) == 0) {
                end++;
            }
            if (end - i > longest) {
                longest = end - i;
                best = i;
            }
        }
        if (best == 0 && longest == 6) {
            return "::" + dotted(twoWords(address, 6));
        }
        StringBuilder out = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            if (i == best) {
                out.append("::");
                i += longest - 1;
                continue;
            }
            if (!out.isEmpty() && out.charAt(out.length() - 1) != ':') {
                out.append(':');
            }
            out.append(Integer.toHexString(word(address, i)));
        }
        return out.toString();
    }

    private static int word(byte[] address, int index) {
        return (address[2 * index] & 0xff) << 8 | (address[2 * index + 1] & 0xff);
    }

    /** Returns the 32 bits that begin with a word of an address, unsigned. */
    private static long twoWords(byte[] address, int index) {
        return (long) word(address, index) << 16 | word(address, index + 1);
    }
}
