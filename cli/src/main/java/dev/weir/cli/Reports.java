package dev.weir.cli;

import java.util.Locale;

import dev.weir.model.Signature;
import dev.weir.scan.HashMatch;

/** Words that several commands print the same way. */
final class Reports {

    private Reports() {}

    /** "1 hash", "2 hashes", "1 mail", "2 mails". */
    static String count(long n, String noun) {
        return n + " " + (n == 1 ? noun : noun.endsWith("h") ? noun + "es" : noun + "s");
    }

    /** "1.00", or "0.97 (31 of 32)" where the digest is another one. */
    static String probability(HashMatch match) {
        String share = String.format(Locale.ROOT, "%.2f", match.probability());
        return match.exact()
                ? share + " (same digest)"
                : share + " (" + Math.round(match.probability() * Signature.SLOTS) + " of " + Signature.SLOTS
                        + " shingles)";
    }
}
