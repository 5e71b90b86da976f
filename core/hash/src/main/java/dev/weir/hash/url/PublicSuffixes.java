package dev.weir.hash.url;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.IDN;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.weir.hash.bytes.Ascii;
import org.jspecify.annotations.Nullable;

/**
 * The Public Suffix List as Rspamd interprets it (docs/reference/hashing.md#urls): every line counts, including the
 * private section; {@code !} lines are ignored; {@code *.x} is the suffix {@code x} with one more label. The
 * registrable domain of a host is its longest suffix plus one label. Hosts must be in lower case; U-labels and A-labels
 * are both known.
 *
 * <p>Immutable and thread-safe.
 */
public final class PublicSuffixes {
    /** Placeholder for the dot of a two-label suffix where any character matches. */
    private static final char ANY = '\0';
    /** Longest label that is searched for a two-label suffix; it bounds the work per host. */
    private static final int MAX_JOINED = 40;

    /** Maximum number of labels in a rule; deeper candidates need no lookup, which bounds the work per host. */
    private final int maxLabels;
    /** Whether one more label belongs to a suffix, by suffix without leading dot. */
    private final Map<String, Boolean> rules;
    /** The two-label suffixes with {@link #ANY} in place of the dot. */
    private final Set<String> joined;

    private PublicSuffixes(Map<String, Boolean> rules) {
        this.rules = rules;
        int deepest = 1;
        this.joined = new HashSet<>();
        for (String rule : rules.keySet()) {
            int labels = 1;
            for (int dot = rule.indexOf('.'); dot >= 0; dot = rule.indexOf('.', dot + 1)) {
                labels++;
            }
            deepest = Math.max(deepest, labels);
            if (labels == 2 && rule.charAt(0) != '.') {
                joined.add(rule.replace('.', ANY));
            }
        }
        this.maxLabels = deepest;
    }

    /** Returns the built-in list, which is read from the class path on first use and then shared. */
    public static PublicSuffixes standard() {
        return Standard.LIST;
    }

    /**
     * Parses a list in the format of publicsuffix.org (UTF-8 text). Malformed lines are ignored.
     *
     * @param text the whole list
     */
    public static PublicSuffixes parse(String text) {
        Map<String, Boolean> rules = new HashMap<>(16384);
        text.lines().forEach(line -> {
            String rule = firstToken(line);
            if (rule.isEmpty() || rule.startsWith("//") || rule.startsWith("!")) {
                return;
            }
            boolean oneMore = rule.startsWith("*.");
            String suffix = (oneMore ? rule.substring(2) : rule).toLowerCase(Locale.ROOT);
            if (suffix.isEmpty()) {
                return;
            }
            // If both "*.x" and "x" are listed, the later line never removes the extra label.
            rules.merge(suffix, oneMore, Boolean::logicalOr);
            String aLabels = toAscii(suffix);
            if (aLabels != null) {
                rules.merge(aLabels, oneMore, Boolean::logicalOr);
            }
        });
        return new PublicSuffixes(rules);
    }

    /**
     * Returns the longest public suffix of {@code host} plus one label, or the whole host if it has no further label.
     *
     * @param host host name in lower case without trailing dot
     * @return null if the host ends in no public suffix or has no dot
     */
    public @Nullable String registrableDomain(String host) {
        int start = host.length();
        int labels = 0;
        String best = null;
        while (labels <= maxLabels) {
            int dot = host.lastIndexOf('.', start - 1);
            if (dot < 0) {
                break;
            }
            labels++;
            start = dot;
            Boolean oneMore = rules.get(host.substring(dot + 1));
            if (oneMore != null) {
                best = withLabels(host, dot, oneMore ? 2 : 1);
            }
        }
        if (best == null) {
            int dot = host.lastIndexOf('.');
            if (dot > 0 && isJoined(host.substring(dot + 1))) {
                return withLabels(host, dot, 1);
            }
        }
        return best;
    }

    /**
     * Whether a name ends in a suffix of its own: {@code label} is one, alone or as a two-label suffix with some other
     * character in place of the dot.
     *
     * @param label last label of the name in lower case, without dots
     * @param next  label behind the single character after {@code label} in lower case, as in {@code com<br}; null if
     *              {@code label} ends the name
     */
    boolean endName(String label, @Nullable String next) {
        return next == null ? rules.containsKey(label) || isJoined(label) : joined.contains(label + ANY + next);
    }

    /**
     * Whether {@code label} is a two-label suffix with some other character in place of the dot. Rspamd reads the list
     * as patterns whose inner dots match anything: in the label after {@code example.comIn} it sees {@code co.in}.
     */
    private boolean isJoined(String label) {
        if (label.length() < 3 || label.length() > MAX_JOINED) {
            return false;
        }
        char[] chars = label.toCharArray();
        for (int i = 1; i + 1 < chars.length; i++) {
            char kept = chars[i];
            chars[i] = ANY;
            if (joined.contains(new String(chars))) {
                return true;
            }
            chars[i] = kept;
        }
        return false;
    }

    private static String withLabels(String host, int dot, int count) {
        int from = dot;
        for (int i = 0; i < count; i++) {
            from = host.lastIndexOf('.', from - 1);
            if (from < 0) {
                return host;
            }
        }
        return host.substring(from + 1);
    }

    private static String firstToken(String line) {
        int from = 0;
        while (from < line.length() && line.charAt(from) <= ' ') {
            from++;
        }
        int to = from;
        while (to < line.length() && line.charAt(to) > ' ') {
            to++;
        }
        return line.substring(from, to);
    }

    private static @Nullable String toAscii(String suffix) {
        if (Ascii.isAscii(suffix)) {
            return null;
        }
        try {
            return IDN.toASCII(suffix, IDN.ALLOW_UNASSIGNED);
        } catch (IllegalArgumentException noIdn) {
            return null;
        }
    }

    private static final class Standard {
        static final PublicSuffixes LIST = load();

        private static PublicSuffixes load() {
            try (InputStream in = PublicSuffixes.class.getResourceAsStream("public_suffix_list.dat")) {
                byte[] text = Objects.requireNonNull(in, "public_suffix_list.dat is missing from the class path")
                        .readAllBytes();
                return parse(new String(text, StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
