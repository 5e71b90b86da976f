package dev.weir.wire.box;

/** The outcome of opening a box. */
public enum Opened {
    /** The box is valid, and its plaintext has replaced the ciphertext. */
    OK,
    /** The message is not a box: it is too short or lacks the magic bytes. */
    NOT_A_BOX,
    /** No key has the given name, and there is no default key. */
    NO_KEY,
    /** This process sealed the message for the other direction. An attacker can return it without any key. */
    ECHO,
    /** The client's public key is new, and the caller did not allow an X25519 computation. */
    NEW_KEY,
    /** The client's public key is of low order, so the shared key would be public. */
    WEAK_KEY,
    /** The authenticator is wrong: the sender used another key, or the bytes were changed. */
    BAD_MAC
}
