package dev.weir.wire.box;

/** The outcome of opening a box. */
public enum Opened {
    /** The plaintext is in place. */
    OK,
    /** Too short or without the magic: not a box at all. */
    NOT_A_BOX,
    /** No key of that name and no default key. */
    NO_KEY,
    /** Something that this process sealed and sent in the other direction; returning it requires no key. */
    ECHO,
    /** The client's public key was not seen before, and no X25519 was to be spent on it. */
    NEW_KEY,
    /** The client's public key is of low order: nothing would be secret. */
    WEAK_KEY,
    /** The authenticator is wrong: another key, or other bytes than were sent. */
    BAD_MAC
}
