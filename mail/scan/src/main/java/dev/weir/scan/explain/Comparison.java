package dev.weir.scan.explain;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.HtmlSides;
import dev.weir.model.Signature;
import dev.weir.scan.Sides;
import dev.weir.scan.score.KindOptions;
import dev.weir.wire.reply.SideMatch;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/**
 * A comparison of two mails. It lists, for each hash of the second mail, the hash of the first mail that a storage
 * would find if it had learned only the first mail.
 *
 * @param first   the known mail
 * @param second  the mail to look up
 * @param matches one for each hash of the second mail, in order
 * @param asked   the kinds that a check asks for; others are compared, but do not count as found
 */
public record Comparison(Explanation first, Explanation second, List<Pair> matches, Set<HashKind> asked) {
    /** Number of words or pieces to print. */
    private static final int SHOWN = 12;

    public Comparison {
        matches = List.copyOf(matches);
        asked = Set.copyOf(asked);
    }

    /**
     * One hash of the second mail.
     *
     * @param hash   the hash
     * @param best   the most similar hash of the first mail; null if no shingle is equal
     * @param equal  slots with equal shingles, from 0; all for equal digests
     * @param needed how many shingles must be equal for a match
     */
    public record Pair(FuzzyHash hash, @Nullable FuzzyHash best, List<Integer> equal, int needed) {
        public Pair {
            equal = List.copyOf(equal);
        }

        boolean sameDigest() {
            return best != null && Arrays.equals(best.digest(), hash.digest());
        }

        /** Returns the share of equal shingles; 1 for equal digests. */
        public double probability() {
            return sameDigest() ? 1 : (double) equal.size() / Signature.SLOTS;
        }

        /** Returns how the side hashes compare; null unless both are structures of HTML. */
        @Nullable
        SideMatch sides() {
            HtmlSides here = Sides.of(hash);
            HtmlSides there = best == null ? null : Sides.of(best);
            if (here == null || there == null) {
                return null;
            }
            HtmlSides.Cta cta = here.cta(there);
            boolean sameDomains = here.allDomains() == there.allDomains();
            boolean sameFeatures = here.features() == there.features();
            return new SideMatch((float) probability(), (float) HtmlSides.similarity(probability(), cta, sameDomains,
                    sameFeatures, HtmlSides.OTHER_CTA), cta, sameDomains, sameFeatures, false);
        }

        /** Returns whether a storage would find the hash if a check asked for it. */
        public boolean found() {
            return sameDigest() || equal.size() >= needed;
        }
    }

    /**
     * Compares two mails hashed by the same rule, where a check asks for all kinds of the rule.
     *
     * @param kinds how the rule uses kinds beyond those of Rspamd, with their thresholds
     */
    public static Comparison of(Explanation first, Explanation second, KindOptions kinds) {
        return of(first, second, EnumSet.allOf(HashKind.class), kinds);
    }

    /** Compares two mails hashed by the same rule, where a check asks for some kinds, with the usual thresholds. */
    public static Comparison of(Explanation first, Explanation second, Set<HashKind> asked) {
        return of(first, second, asked, KindOptions.OFF);
    }

    private static Comparison of(Explanation first, Explanation second, Set<HashKind> asked, KindOptions kinds) {
        List<Pair> pairs = new ArrayList<>();
        for (FuzzyHash hash : second.hashes()) {
            int needed = kinds.needed(hash.kind());
            Pair best = new Pair(hash, null, List.of(), needed);
            for (FuzzyHash known : first.hashes()) {
                Pair pair = new Pair(hash, known, agreement(hash, known), needed);
                if (pair.probability() > best.probability()) {
                    best = pair;
                }
            }
            pairs.add(best);
        }
        return new Comparison(first, second, pairs, asked);
    }

    private static List<Integer> agreement(FuzzyHash one, FuzzyHash other) {
        List<Integer> equal = new ArrayList<>();
        long[] a = one.shingles();
        long[] b = other.shingles();
        for (int i = 0; i < Math.min(a.length, b.length); i++) {
            if (a[i] == b[i]) {
                equal.add(i);
            }
        }
        return equal;
    }

    /** Returns whether a check of the second mail would find any of its hashes. */
    public boolean found() {
        return matches.stream().anyMatch(pair -> asked.contains(pair.hash().kind()) && pair.found());
    }

    /** Returns the kinds by which the mails are near, whether a check asks for them or not. */
    private List<HashKind> near() {
        return matches.stream().filter(Pair::found).map(pair -> pair.hash().kind()).distinct().toList();
    }

    /** Prints the comparison as text. */
    public void print(PrintStream out) {
        out.println("first:  " + first.name() + ", " + Explanation.count(first.hashes().size(), "hash"));
        out.println("second: " + second.name() + ", " + Explanation.count(second.hashes().size(), "hash"));
        List<HashKind> near = near();
        out.println(near.isEmpty()
                ? "near by no kind of hash"
                : "near by: " + near.stream().map(kind -> kind.label() + (asked.contains(kind) ? "" : unasked(kind)))
                        .collect(Collectors.joining(", ")));
        for (Pair pair : matches) {
            out.println();
            out.println(place(pair.hash()) + ": " + verdict(pair));
            boolean similar = pair.best() != null && pair.hash().hasShingles() && !pair.sameDigest();
            if (similar) {
                out.println("        " + map(pair.equal()) + "  equal shingles (#)");
            }
            if (pair.best() != null && pair.hash().kind().isBeyondRspamd()) {
                printPieces(out, pair.hash(), pair.best());
            } else if (similar && pair.sides() == null) {
                printWords(out, pair);
            }
            SideMatch sides = pair.sides();
            if (sides != null) {
                print(out, sides);
            }
        }
        if (matches.isEmpty()) {
            out.println();
            out.println("The second mail has no hashes to look up.");
        }
    }

    private static String unasked(HashKind kind) {
        return kind == HashKind.HTML
                ? " (only checks with html_shingles, the option --html, ask for it)"
                : " (only checks with kinds {} ask for it)";
    }

    /** Prints the four parts of the similarity of HTML. */
    private static void print(PrintStream out, SideMatch sides) {
        boolean elsewhere = sides.cta() == HtmlSides.Cta.DIFFERENT;
        out.printf(Locale.ROOT, "        similarity of the HTML %.2f%s%n", sides.similarity(),
                elsewhere
                        ? String.format(Locale.ROOT, ": %.1f of the structure, because the call to action leads "
                                + "elsewhere", HtmlSides.OTHER_CTA)
                        : "");
        part(out, elsewhere ? 0 : 50, "structure", String.format(Locale.ROOT, "%.2f", sides.structure()));
        part(out, elsewhere ? 0 : 30, "call-to-action domains", switch (sides.cta()) {
            case SAME -> "the same";
            case UNKNOWN -> "only one of the mails has some";
            case DIFFERENT -> "different";
        });
        part(out, elsewhere ? 0 : 15, "all domains", sides.sameDomains() ? "the same" : "different");
        part(out, elsewhere ? 0 : 5, "features", sides.sameFeatures() ? "the same" : "different");
    }

    private static void part(PrintStream out, int percent, String name, String how) {
        out.println("          " + name + (percent == 0 ? "" : " (" + percent + " %)") + ": " + how);
    }

    private static String place(FuzzyHash hash) {
        return "part " + hash.part() + " as " + hash.kind().label();
    }

    private static String verdict(Pair pair) {
        if (pair.best() == null) {
            return "nothing in common";
        }
        String with = " as part " + pair.best().part() + " (" + pair.best().kind().label() + ")";
        if (pair.sameDigest()) {
            return "found" + with + ", probability 1.00, same digest";
        }
        return String.format(Locale.ROOT, "%s%s, probability %.2f, %d of %d shingles are equal%s",
                pair.found() ? "found" : "not found", with, pair.probability(), pair.equal().size(), Signature.SLOTS,
                pair.found() ? "" : "; a match needs " + pair.needed());
    }

    private static String map(List<Integer> equal) {
        char[] map = ".".repeat(Signature.SLOTS).toCharArray();
        equal.forEach(i -> map[i] = '#');
        return new String(map);
    }

    private void printWords(PrintStream out, Pair pair) {
        List<String> known = words(first, pair.best());
        List<String> asked = words(second, pair.hash());
        if (!known.isEmpty() && !asked.isEmpty()) {
            out.println("        only in the first:  " + onlyIn(known, asked));
            out.println("        only in the second: " + onlyIn(asked, known));
        }
    }

    /** Prints what decides: the pieces of both hashes. */
    private void printPieces(PrintStream out, FuzzyHash hash, FuzzyHash best) {
        List<String> known = first.pieces(best);
        List<String> asked = second.pieces(hash);
        Set<String> both = new HashSet<>(known);
        both.retainAll(new HashSet<>(asked));
        out.printf(Locale.ROOT, "        %,d pieces of the first, %,d of the second, %,d in both%n", known.size(),
                asked.size(), both.size());
        out.println("        in both:            " + listed(asked.stream().filter(both::contains).toList(), true));
        if (known.size() > both.size() || asked.size() > both.size()) {
            out.println("        only in the first:  "
                    + listed(known.stream().filter(piece -> !both.contains(piece)).toList(), true));
            out.println("        only in the second: "
                    + listed(asked.stream().filter(piece -> !both.contains(piece)).toList(), true));
        }
    }

    private static List<String> words(Explanation mail, @Nullable FuzzyHash hash) {
        return hash == null ? List.of() : mail.words(hash.part());
    }

    private static String onlyIn(List<String> words, List<String> others) {
        Set<String> rest = new HashSet<>(others);
        List<String> only = words.stream().distinct().filter(word -> !rest.contains(word)).toList();
        return listed(only, false);
    }

    /**
     * @param pieces whether these are pieces of several words
     */
    private static String listed(List<String> texts, boolean pieces) {
        String shown = String.join(pieces ? " | " : " ", texts.subList(0, Math.min(texts.size(), SHOWN)));
        if (texts.isEmpty()) {
            return pieces ? "nothing" : "no word";
        }
        return Explanation.printable(shown)
                + (texts.size() > SHOWN ? " ... (" + texts.size() + (pieces ? " pieces)" : " words)") : "");
    }

    /** Writes the comparison as members of an open JSON object. */
    public void write(JsonGenerator json) {
        json.writeName("first");
        json.writeStartObject();
        first.write(json);
        json.writeEndObject();
        json.writeName("second");
        json.writeStartObject();
        second.write(json);
        json.writeEndObject();
        json.writeArrayPropertyStart("matches");
        for (Pair pair : matches) {
            json.writeStartObject();
            json.writeNumberProperty("part", pair.hash().part());
            json.writeStringProperty("kind", pair.hash().kind().label());
            if (pair.best() != null) {
                json.writeNumberProperty("first_part", pair.best().part());
            }
            json.writeBooleanProperty("same_digest", pair.sameDigest());
            json.writeArrayPropertyStart("equal_shingles");
            pair.equal().forEach(json::writeNumber);
            json.writeEndArray();
            if (pair.hash().kind().isBeyondRspamd()) {
                Set<String> known = new HashSet<>(pair.best() == null ? List.of() : first.pieces(pair.best()));
                json.writeArrayPropertyStart("pieces_in_both");
                second.pieces(pair.hash()).stream().filter(known::contains).forEach(json::writeString);
                json.writeEndArray();
            }
            json.writeNumberProperty("needed", pair.needed());
            json.writeNumberProperty("probability", pair.probability());
            json.writeBooleanProperty("found", pair.found());
            json.writeBooleanProperty("asked", asked.contains(pair.hash().kind()));
            SideMatch sides = pair.sides();
            if (sides != null) {
                write(json, sides);
            }
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private static void write(JsonGenerator json, SideMatch sides) {
        json.writeName("html");
        json.writeStartObject();
        json.writeNumberProperty("similarity", sides.similarity());
        json.writeNumberProperty("structure", sides.structure());
        json.writeStringProperty("cta_domains", sides.cta().name().toLowerCase(Locale.ROOT));
        json.writeBooleanProperty("same_domains", sides.sameDomains());
        json.writeBooleanProperty("same_features", sides.sameFeatures());
        json.writeEndObject();
    }
}
