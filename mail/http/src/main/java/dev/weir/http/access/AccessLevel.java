package dev.weir.http.access;

/** The permission that an endpoint requires. */
public enum AccessLevel {
    /** Nothing. */
    OPEN,
    /** One of the two passwords. */
    READ,
    /** The password that allows changes. */
    PRIVILEGED
}
