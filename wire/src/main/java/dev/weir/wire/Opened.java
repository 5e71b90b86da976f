package dev.weir.wire;

/** The outcome of opening a box. */
public enum Opened {
    /** The plaintext is in place. */
    OK,
    /** Too short or without the magic: not a box at all. */
    NOT_A_BOX,
    /** No key of that name and no default key. */
    NO_KEY,
    /** The client's public key is of low order: nothing would be secret. */
    WEAK_KEY,
    /** The authenticator is wrong: another key, or other bytes than were sent. */
    BAD_MAC
}
