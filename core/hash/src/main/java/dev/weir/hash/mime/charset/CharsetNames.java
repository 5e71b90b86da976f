package dev.weir.hash.mime.charset;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
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
import org.jspecify.annotations.Nullable;

/**
 * A resolver from charset names in mail to converters (docs/reference/hashing.md#charsets). It trims and substitutes
 * malformed names, then looks them up among ICU's aliases. ISO-8859-16, which ICU lacks, comes from the JDK.
 */
public final class CharsetNames {
    /** The charset that a name refers to. */
    public sealed interface Meaning {
        /** UTF-8. */
        record Utf8Name() implements Meaning {}

        /** ASCII, declared rightly or wrongly. The text is UTF-8 if valid; otherwise its charset is detected. */
        record AsciiName() implements Meaning {}

        /**
         * A charset to convert from.
         *
         * @param table the table that converts, if each byte is a character
         * @param asciiStays whether ASCII text has the same bytes in this charset and in UTF-8
         */
        record Known(Charset charset, @Nullable SingleByteTable table, boolean asciiStays) implements Meaning {
            private static Known of(Charset charset) {
                SingleByteTable table = SingleByteTable.of(charset);
                return new Known(charset, table, table != null && table.asciiStays());
            }

            /** Returns the text in UTF-8, or null if the converter fails. */
            public byte @Nullable [] toUtf8(byte[] data) {
                return table != null ? table.toUtf8(data) : Conversion.toUtf8(data, charset);
            }
        }

        /** An unknown name. */
        record Unknown() implements Meaning {}
    }

    /** Maximum length of a name; every alias is shorter. */
    private static final int LONGEST = 128;
    /** An ICU option that can follow a name. */
    private static final String SWAPS_LINE_ENDS = ",swaplfnl";
    private static final Map<String, String> SUBSTITUTIONS = substitutions();

    /** Maximum number of cached names, because mail can contain any number of names. */
    private static final int MOST_REMEMBERED = 4096;
    private static final Meaning UNKNOWN = new Meaning.Unknown();
    private static final Meaning UTF_8 = new Meaning.Utf8Name();

    /** Cache by name. */
    private static final ConcurrentMap<String, Meaning> KNOWN = new ConcurrentHashMap<>();
    private static final AtomicInteger REMEMBERED = new AtomicInteger();
    /**
     * Cache by ICU's canonical name, of which there are only a limited number. A charset has any number of spellings,
     * and ICU loads its tables on each request.
     */
    private static final ConcurrentMap<String, Meaning> BY_CANONICAL = new ConcurrentHashMap<>();
    /**
     * Names that the JDK knows and ICU does not. All other names are unknown. Asking the JDK for them would search the
     * class path for providers, which is slow.
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

    /** Returns the charset of a name that the detector gives. It has its own names for EUC-TW. */
    static Meaning detected(String name) {
        return meaning(name.equals("EUC") || name.equals("CNS") ? "euc-tw" : name);
    }

    private static Meaning lookedUp(String name) {
        if (name.isEmpty()) {
            return UNKNOWN;
        }
        return switch (name) {
            // Only the JDK has this charset.
            case "iso-8859-16", "iso_8859-16", "latin10" -> meaning(Charset.forName("ISO-8859-16"));
            // ICU for Java resolves these names to other charsets than ICU for C does.
            case "cp932", "942" -> byIcu("ibm-942");
            case "iso-ir-149" -> byIcu("ks_c_5601-1987");
            // ICU for Java knows these names and ICU for C does not.
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

    /** Returns ICU's canonical name for all spellings of a charset, or an empty string if ICU does not know it. */
    @SuppressWarnings("deprecation") // the only way to ask for a name without loading the charset's tables
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
        return Meaning.Known.of(charset);
    }
}
