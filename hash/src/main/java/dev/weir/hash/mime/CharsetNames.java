package dev.weir.hash.mime;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

import com.ibm.icu.charset.CharsetICU;
import org.jspecify.annotations.Nullable;

/**
 * From the charset name in a mail to a converter (specification 1.9, item 3): odd names are trimmed and substituted, then
 * looked up among ICU's aliases. ISO-8859-16, which ICU lacks, comes from the JDK.
 */
final class CharsetNames {
    /** What a name stands for. */
    sealed interface Meaning {
        /** UTF-8 itself. */
        record Utf8Name() implements Meaning {}

        /** ASCII or a lie about it: UTF-8 if valid, else to be guessed. */
        record AsciiName() implements Meaning {}

        /**
         * Text is converted from this charset.
         *
         * @param asciiStays text of ASCII is in UTF-8 what it is in this charset
         */
        record Known(Charset charset, boolean asciiStays) implements Meaning {}

        /** No such charset. */
        record Unknown() implements Meaning {}
    }

    /** Longer names than any alias. */
    private static final int LONGEST = 128;
    private static final Map<String, String> SUBSTITUTIONS = substitutions();

    /** Names without a meaning that are remembered; mail can hold any number of others. */
    private static final int MOST_UNKNOWN = 1024;
    private static final Meaning UNKNOWN = new Meaning.Unknown();
    private static final Meaning UTF_8 = new Meaning.Utf8Name();

    /**
     * What the names that were met stand for. ICU reads the tables of a charset anew each time it is asked for one, and what
     * it does not know is looked for among all providers of the JVM before an exception says so.
     */
    private static final ConcurrentMap<String, Meaning> KNOWN = new ConcurrentHashMap<>();
    private static final AtomicInteger UNKNOWN_COUNT = new AtomicInteger();

    private CharsetNames() {}

    private static Map<String, String> substitutions() {
        Map<String, String> map = new HashMap<>();
        for (List<String> row : Tables.rows("charset-substitutions.tsv")) {
            map.put(row.get(0), row.get(1));
        }
        return Map.copyOf(map);
    }

    static Meaning meaning(String name) {
        String wanted = name.toLowerCase(Locale.ROOT);
        if (wanted.equals("utf-8") || wanted.equals("utf8")) {
            return UTF_8;
        }
        int from = 0;
        int to = Math.min(wanted.length(), LONGEST);
        while (from < to && !Ascii.isAlphanumeric(wanted.charAt(from))) {
            from++;
        }
        while (to > from && !Ascii.isAlphanumeric(wanted.charAt(to - 1))) {
            to--;
        }
        wanted = wanted.substring(from, to);
        if (wanted.startsWith("cp-") || wanted.startsWith("ibm-")) {
            wanted = wanted.replace("-", "");
        }
        wanted = SUBSTITUTIONS.getOrDefault(wanted, wanted);
        Meaning known = KNOWN.get(wanted);
        if (known == null) {
            Charset charset = charset(wanted);
            known = charset == null ? UNKNOWN : meaning(charset);
            // There are only so many names that some charset has; those that none has are counted.
            if (charset != null || UNKNOWN_COUNT.getAndUpdate(n -> Math.min(n + 1, MOST_UNKNOWN)) < MOST_UNKNOWN) {
                KNOWN.put(wanted, known);
            }
        }
        return known;
    }

    private static Meaning meaning(Charset charset) {
        String canonical = charset.name().toLowerCase(Locale.ROOT);
        if (canonical.startsWith("utf-8") || canonical.startsWith("utf8")) {
            return UTF_8;
        }
        if (canonical.contains("ascii") || canonical.contains("ansi")) {
            return new Meaning.AsciiName();
        }
        return new Meaning.Known(charset, asciiStays(charset));
    }

    /** Charsets of one byte a character have no state, so that what becomes of each byte says it all. */
    private static boolean asciiStays(Charset charset) {
        if (!charset.canEncode() || charset.newEncoder().maxBytesPerChar() > 1) {
            return false;
        }
        byte[] ascii = new byte[0x80];
        for (int i = 0; i < ascii.length; i++) {
            ascii[i] = (byte) i;
        }
        return Arrays.equals(Conversion.toUtf8(ascii, charset), ascii);
    }

    private static @Nullable Charset charset(String name) {
        if (name.isEmpty()) {
            return null;
        }
        try {
            if (name.equals("iso-8859-16") || name.equals("iso_8859-16") || name.equals("latin10")) {
                return Charset.forName("ISO-8859-16");
            }
            return switch (name) {
                // ICU for Java finds other charsets of Java's behind these names than ICU for C does.
                case "cp932", "942" -> CharsetICU.forNameICU("ibm-942");
                case "iso-ir-149" -> CharsetICU.forNameICU("ks_c_5601-1987");
                // And these it knows where ICU for C does not.
                case "x-gbk", "x-x-big5", "x-cp1251", "x-windows-949", "x-johab", "johab", "ms1361", "x-mswin-936",
                        "x-utf_8j", "x-unicode-2-0-utf-7" ->
                    null;
                default -> CharsetICU.forNameICU(name);
            };
        } catch (UnsupportedCharsetException | IllegalCharsetNameException e) {
            return null;
        }
    }
}
