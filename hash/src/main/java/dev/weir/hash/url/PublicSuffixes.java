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

import org.jspecify.annotations.Nullable;

/**
 * The Public Suffix List, read the way Rspamd reads it (docs/reference/hashing.md#urls): every line counts, the private
 * section too; {@code !} lines are ignored; {@code *.x} is the suffix {@code x} with one more label. The registrable
 * domain of a host is one label in front of its longest suffix. Hosts are expected in lower case; U-labels and A-labels
 * are both known.
 *
 * <p>Immutable and thread-safe.
 */
public final class PublicSuffixes {
    /** Stands for the dot of a suffix of two labels where any character will do. */
    private static final char ANY = '\0';
    /** Longest label in which two are looked for, which bounds the work per host. */
    private static final int MAX_JOINED = 40;

    /** No rule of the list has more labels; deeper candidates need not be looked up, which bounds the work per host. */
    private final int maxLabels;
    /** Suffix without leading dot → whether one more label belongs to it. */
    private final Map<String, Boolean> rules;
    /** The suffixes of two labels, {@link #ANY} in place of the dot. */
    private final Set<String> joined;

    private PublicSuffixes(Map<String, Boolean> rules) {
        this.rules = Map.copyOf(rules);
        int deepest = 1;
        for (String rule : rules.keySet()) {
            deepest = Math.max(deepest, 1 + (int) rule.chars().filter(c -> c == '.').count());
        }
        this.maxLabels = deepest;
        this.joined = new HashSet<>();
        for (String rule : rules.keySet()) {
            int dot = rule.indexOf('.');
            if (dot > 0 && dot == rule.lastIndexOf('.')) {
                joined.add(rule.replace('.', ANY));
            }
        }
    }

    /** The list that ships with this library; read from the class path on first use, then shared. */
    public static PublicSuffixes standard() {
        return Standard.LIST;
    }

    /**
     * Reads a list in the format of publicsuffix.org (UTF-8 text). Lines that are no rule are ignored.
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
            // "*.x" and "x" may both be listed: the later line never takes the extra label away.
            rules.merge(suffix, oneMore, Boolean::logicalOr);
            String aLabels = toAscii(suffix);
            if (aLabels != null) {
                rules.merge(aLabels, oneMore, Boolean::logicalOr);
            }
        });
        return new PublicSuffixes(rules);
    }

    /**
     * One label and the longest public suffix of {@code host}; the whole host where it has no label to spare.
     *
     * @param host lower-case host name without trailing dot
     * @return null if the host ends in no public suffix, or has no dot at all
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

    /** True if the list holds {@code label} (no dots, lower case) as a suffix of its own. */
    public boolean isTopLevel(String label) {
        return rules.containsKey(label) || isJoined(label);
    }

    /**
     * True if {@code label} is a suffix of two labels in which some other character stands for the dot. The reference
     * reads the list as patterns, whose dots inside match anything: after {@code example.comIn} it sees the
     * {@code co.in}.
     */
    private boolean isJoined(String label) {
        if (label.length() < 3 || label.length() > MAX_JOINED) {
            return false;
        }
        char[] chars = label.toCharArray();
        for (int i = 1; i + 1 < chars.length; i++) {
            char kept = chars[i];
            if (kept < 0x80) {
                chars[i] = ANY;
                if (joined.contains(new String(chars))) {
                    return true;
                }
                chars[i] = kept;
            }
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
        if (suffix.chars().allMatch(c -> c < 0x80)) {
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
