package dev.weir.http.access;

/** What becomes of a request. */
public enum Verdict {
    /** It may do everything. */
    FULL,
    /** It may ask and change nothing. */
    READ_ONLY,
    /** It is refused: no password, or a wrong one. */
    UNAUTHORIZED,
    /** It is refused: too many wrong ones before. */
    THROTTLED;

    /** Whether the request is answered. */
    public boolean isGranted() {
        return this == FULL || this == READ_ONLY;
    }
}
