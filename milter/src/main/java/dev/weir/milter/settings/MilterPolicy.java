package dev.weir.milter.settings;

/**
 * What a filter does with a scanned mail, besides the thresholds of the actions.
 *
 * @param onFailure what becomes of a mail that could not be scanned completely
 * @param onReject what becomes of a mail whose score reaches the action {@code reject}
 * @param rejectText the text of a refusal, one line of ASCII
 * @param subject the subject of a mail with the action {@code rewrite subject}: {@code %s} stands for the old one,
 *            {@code %d} for the score
 * @param spamHeader the name of the field that marks spam; empty for none
 * @param resultHeader whether the field {@code X-Spamd-Result} is added
 */
public record MilterPolicy(OnFailure onFailure, OnReject onReject, String rejectText, String subject,
        String spamHeader, boolean resultHeader) {
    /** Accepts what cannot be scanned, and refuses spam. */
    public static final MilterPolicy DEFAULT = new MilterPolicy(OnFailure.ACCEPT, OnReject.REJECT,
            "Spam message rejected", "*** SPAM *** %s", "X-Weir-Spam", false);

    /** What becomes of a mail that could not be scanned completely. */
    public enum OnFailure {
        /** The mail is accepted. */
        ACCEPT,
        /** The client has to try again later. */
        DEFER
    }

    /** What becomes of a mail with the action {@code reject}. */
    public enum OnReject {
        /** The client gets an error. */
        REJECT,
        /** The mail is accepted and dropped. */
        DISCARD,
        /** The mail server holds the mail back. */
        QUARANTINE
    }

    /** Returns a copy with another treatment of failures. */
    public MilterPolicy withOnFailure(OnFailure other) {
        return new MilterPolicy(other, onReject, rejectText, subject, spamHeader, resultHeader);
    }

    /** Returns a copy with another treatment of spam. */
    public MilterPolicy withOnReject(OnReject other) {
        return new MilterPolicy(onFailure, other, rejectText, subject, spamHeader, resultHeader);
    }

    /** Returns a copy with another text of refusals. */
    public MilterPolicy withRejectText(String text) {
        return new MilterPolicy(onFailure, onReject, text, subject, spamHeader, resultHeader);
    }

    /** Returns a copy with another subject. */
    public MilterPolicy withSubject(String template) {
        return new MilterPolicy(onFailure, onReject, rejectText, template, spamHeader, resultHeader);
    }

    /** Returns a copy with another field that marks spam. */
    public MilterPolicy withSpamHeader(String name) {
        return new MilterPolicy(onFailure, onReject, rejectText, subject, name, resultHeader);
    }

    /** Returns a copy with or without {@code X-Spamd-Result}. */
    public MilterPolicy withResultHeader(boolean added) {
        return new MilterPolicy(onFailure, onReject, rejectText, subject, spamHeader, added);
    }
}
