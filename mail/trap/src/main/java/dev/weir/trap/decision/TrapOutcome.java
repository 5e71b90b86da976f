package dev.weir.trap.decision;

import java.util.Locale;

/** What became of a mail of a trap. */
public enum TrapOutcome {
    /** The campaign was learned. */
    LEARNED,
    /** The campaign is known and its weight grew, because another source sent it. */
    RAISED,
    /** The campaign lost weight, because a user wants to keep it. */
    LOWERED,
    /** The campaign is held back until enough independent sources have sent it. */
    HELD,
    /** The campaign is learned, and this mail changes nothing. */
    KNOWN,
    /** The mail has too few words. */
    TOO_FEW_WORDS,
    /** The mail is near one that was learned as wanted mail. */
    NEAR_HAM,
    /** Nothing proves that the mail is wanted. */
    NOT_WANTED,
    /** The mail was reported as wanted and is near one that was learned as unwanted. */
    NEAR_SPAM,
    /** A report contains no mail. */
    NO_REPORT,
    /** The mail comes from the networks of own users. */
    OWN_NETWORK,
    /** The mail names a sender in an own domain. */
    OWN_SENDER,
    /** The rules exempt the sender from checks. */
    WHITELISTED,
    /** The mail is a bounce: it may quote a wanted mail. */
    BOUNCE,
    /** The mail was sent automatically, such as a vacation notice. */
    AUTOMATIC,
    /** The mail is larger than the limit. */
    TOO_LARGE,
    /** The mail costs too much to hash. */
    NOT_HASHED,
    /** The rules do not learn the mail: a learn condition, or no rule with the flag. */
    NOT_LEARNABLE,
    /** The skip list of the storage contains the mail. */
    SKIP_LIST,
    /** The storage refused the update. */
    REFUSED,
    /** Weir failed because of a defect, which the log describes. */
    FAILED,
    /** A storage did not answer or refused, or too many mails arrive at a time: the mail has to come again. */
    NOT_NOW,
    /** The campaigns could not be written: the mail has to come again. */
    STORE_FAILED;

    /** Returns whether the mail has to come again. */
    public boolean isTemporary() {
        return this == NOT_NOW || this == STORE_FAILED;
    }

    /** Returns the name in logs and metrics. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
