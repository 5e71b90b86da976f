package dev.weir.http.access;

/** The result of an access check. */
public enum AccessDecision {
    /** It may do everything. */
    FULL,
    /** It may ask and change nothing. */
    READ_ONLY,
    /** It is refused: no password, or a wrong one. */
    UNAUTHORIZED,
    /** It is refused: too many wrong ones before. */
    THROTTLED,
    /** It is refused: too many passwords are compared at the moment. */
    BUSY,
    /** It is refused: a browser sends it for a page of another site. */
    FOREIGN_PAGE,
    /** It is refused: it has no password and asks under a name that is not known to be this server's. */
    UNKNOWN_HOST;

    /** Returns whether the request is answered. */
    public boolean isGranted() {
        return this == FULL || this == READ_ONLY;
    }
}
