package dev.weir.cli.terminal;

import java.io.IOException;
import java.util.Locale;

import dev.weir.model.Signature;
import dev.weir.model.failure.Reason;

/** Phrases that several commands share. */
public final class Reports {

    private Reports() {}

    /** Returns a count with its noun, such as "1 hash" or "2 mails". */
    public static String count(long n, String noun) {
        return n + " " + (n == 1 ? noun : noun.endsWith("h") ? noun + "es" : noun + "s");
    }

    /** Returns the probability of a match, and whether the digest or only shingles matched. */
    public static String probability(float probability, boolean exact) {
        String share = String.format(Locale.ROOT, "%.2f", probability);
        return exact
                ? share + " (same digest)"
                : share + " (" + Math.round(probability * Signature.SLOTS) + " of " + Signature.SLOTS
                        + " shingles)";
    }

    /** Returns the reason why a file cannot be read or written, without the file name. */
    public static String reason(IOException e) {
        return Reason.without(e);
    }
}
