package dev.weir.http.access;

/** What an endpoint asks of its client. */
public enum AccessLevel {
    /** Nothing. */
    OPEN,
    /** One of the two passwords. */
    READ,
    /** The password that allows changes. */
    PRIVILEGED
}
