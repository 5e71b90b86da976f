package dev.weir.trap.campaign;

import java.util.Locale;

/** What a mail is taken for. */
public enum Purpose {
    /** The mail of a trap: it is unwanted. */
    TRAP(0),
    /** A user complains about a mail. */
    COMPLAINT(1),
    /** A user wants to keep a mail. */
    KEEP(2),
    /** Wanted mail. */
    WANTED(3);

    private final int code;

    Purpose(int code) {
        this.code = code;
    }

    /** Returns the number in the file. */
    int code() {
        return code;
    }

    /** Returns the name in the audit trail. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
