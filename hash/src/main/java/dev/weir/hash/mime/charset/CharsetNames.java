package dev.weir.hash.mime.charset;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import com.ibm.icu.charset.CharsetICU;
import com.ibm.icu.charset.CharsetProviderICU;
import dev.weir.hash.bytes.Ascii;
import dev.weir.hash.table.TextTable;

/**
 * From the charset name in a mail to a converter (docs/reference/hashing.md#charsets): odd names are trimmed and
 * substituted, then looked up among ICU's aliases. ISO-8859-16, which ICU lacks, comes from the JDK.
 */
public final class CharsetNames {
    /** What a name stands for. */
    public sealed interface Meaning {
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
    /** An option that ICU takes behind a name. */
    private static final String SWAPS_LINE_ENDS = ",swaplfnl";
    private static final Map<String, String> SUBSTITUTIONS = substitutions();

    /** Names that are remembered; mail can hold any number of others. */
    private static final int MOST_REMEMBERED = 4096;
    private static final Meaning UNKNOWN = new Meaning.Unknown();
    private static final Meaning UTF_8 = new Meaning.Utf8Name();

    /** What the names that were met stand for. */
    private static final ConcurrentMap<String, Meaning> KNOWN = new ConcurrentHashMap<>();
    private static final AtomicInteger REMEMBERED = new AtomicInteger();
    /**
     * The same by ICU's own names, of which there are only so many: a charset has any number of spellings, and ICU
     * reads its tables anew each time it is asked for one.
     */
    private static final ConcurrentMap<String, Meaning> BY_CANONICAL = new ConcurrentHashMap<>();
    /**
     * Names that ICU does not know and the JDK does. Any other is unknown; to ask the JDK for it would search the class
     * path for providers, which takes milliseconds.
     */
    private static final Set<String> JDK_ONLY = TextTable.rows(CharsetNames.class, "charset-jdk-names.tsv", "\t")
            .stream()
            .map(row -> row[0])
            .collect(Collectors.toUnmodifiableSet());

    private CharsetNames() {}

    private static Map<String, String> substitutions() {
        Map<String, String> map = new HashMap<>();
        for (String[] row : TextTable.rows(CharsetNames.class, "charset-substitutions.tsv", "\t")) {
            map.put(row[0], row[1]);
        }
        return Map.copyOf(map);
    }

    public static Meaning meaning(String name) {
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
            known = lookedUp(wanted);
            if (REMEMBERED.getAndUpdate(n -> Math.min(n + 1, MOST_REMEMBERED)) < MOST_REMEMBERED) {
                KNOWN.put(wanted, known);
            }
        }
        return known;
    }

    private static Meaning lookedUp(String name) {
        if (name.isEmpty()) {
            return UNKNOWN;
        }
        return switch (name) {
            // The JDK has this one alone.
            case "iso-8859-16", "iso_8859-16", "latin10" -> meaning(Charset.forName("ISO-8859-16"));
            // ICU for Java finds other charsets of Java's behind these names than ICU for C does.
            case "cp932", "942" -> byIcu("ibm-942");
            case "iso-ir-149" -> byIcu("ks_c_5601-1987");
            // And these it knows where ICU for C does not.
            case "x-gbk", "x-x-big5", "x-cp1251", "x-windows-949", "x-johab", "johab", "ms1361", "x-mswin-936",
                    "x-utf_8j", "x-unicode-2-0-utf-7" ->
                UNKNOWN;
            default -> byIcu(name);
        };
    }

    private static Meaning byIcu(String name) {
        String canonical = canonical(name);
        if (canonical.isEmpty()) {
            return JDK_ONLY.contains(name) ? meaning(Charset.forName(name)) : UNKNOWN;
        }
        Meaning known = BY_CANONICAL.get(canonical);
        if (known == null) {
            known = read(name);
            BY_CANONICAL.put(canonical, known);
        }
        return known;
    }

    /** The one name that ICU has for all spellings of a charset; empty if it has none. */
    @SuppressWarnings("deprecation") // internal to ICU, and the only way to ask for a name without reading the tables of the charset
    private static String canonical(String name) {
        boolean swaps = name.endsWith(SWAPS_LINE_ENDS);
        String bare = swaps ? name.substring(0, name.length() - SWAPS_LINE_ENDS.length()) : name;
        try {
            String canonical = CharsetProviderICU.getICUCanonicalName(bare);
            return canonical == null || canonical.isEmpty() ? "" : swaps ? canonical + SWAPS_LINE_ENDS : canonical;
        } catch (UnsupportedCharsetException e) {
            return "";
        }
    }

    private static Meaning read(String name) {
        try {
            return meaning(CharsetICU.forNameICU(name));
        } catch (UnsupportedCharsetException | IllegalCharsetNameException e) {
            return UNKNOWN;
        }
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
}
