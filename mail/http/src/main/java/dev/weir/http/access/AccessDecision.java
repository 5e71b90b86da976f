package dev.weir.http.access;

/** The result of an access check. */
public enum AccessDecision {
    /** Everything is allowed. */
    FULL,
    /** Only reading is allowed. */
    READ_ONLY,
    /** Refused: the password is missing or wrong. */
    UNAUTHORIZED,
    /** Refused: the session has the right to read only. */
    NOT_ENOUGH,
    /** Refused: a browser sent a change without the token of its session. */
    NO_TOKEN,
    /** Refused: there were too many wrong passwords before. */
    THROTTLED,
    /** Refused: too many passwords are being compared. */
    BUSY,
    /** Refused: a browser sent the request for a page of another site. */
    FOREIGN_PAGE,
    /** Refused: the encrypted request is a copy of an earlier one that changed something. */
    REPEATED,
    /** Refused: the request has no password, and its host name is not known to be this server's. */
    UNKNOWN_HOST;

    /** Returns whether the request is granted. */
    public boolean isGranted() {
        return this == FULL || this == READ_ONLY;
    }
}
