package dev.weir.milter.session;

import java.util.Locale;

/** Why a mail was not scanned, or not completely. */
public enum Shortfall {
    /** A storage did not answer or refused to check: another try may be better. */
    UNANSWERED(true, "a storage did not answer or refused"),
    /** Too many mails are being received or scanned: another try may be better. */
    OVERLOADED(true, "too many mails at a time"),
    /** Scanning took too long: another try may be better. */
    TIMEOUT(true, "scanning took too long"),
    /** A defect of this program: another try may be better. */
    DEFECT(true, "internal error"),
    /** The mail is larger than the limit. */
    TOO_LARGE(false, "the mail is too large"),
    /** The mail costs too much to hash. */
    NOT_HASHED(false, "the mail costs too much to hash");

    private final boolean passing;
    private final String text;

    Shortfall(boolean passing, String text) {
        this.passing = passing;
        this.text = text;
    }

    /** Returns whether the mail may be scanned if it comes again. Otherwise it makes no sense to defer it. */
    boolean isPassing() {
        return passing;
    }

    /** Returns the reason for the header of a mail. */
    String text() {
        return text;
    }

    /** Returns the reason as a label of a metric. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
