package dev.weir.wire;

import dev.weir.model.Digest;
import dev.weir.model.Signature;

/** The sizes of the protocol, in bytes except for counts. */
public final class Protocol {
    /** The maximum length of a datagram. Servers ignore all further bytes (docs/reference/protocol.md#transports). */
    public static final int MAX_DATAGRAM = 1024;
    /** The longest frame of the stream transport (docs/reference/protocol.md#frames). */
    public static final int MAX_FRAME = 8192;
    /** A digest: BLAKE2b-512 of the content. */
    public static final int DIGEST = Digest.BYTES;
    /** Number of shingles in a signature. */
    public static final int SHINGLES = Signature.SLOTS;
    /** A command without shingles and extensions. */
    public static final int COMMAND = 76;
    /** A command with its 32 shingles, without extensions. */
    public static final int SHINGLED_COMMAND = COMMAND + SHINGLES * Long.BYTES;
    /** The padded structure that clients before 0.8 send. */
    public static final int TEXT_COMMAND = 80;
    /** Maximum number of extra flags in a multi-flag reply. */
    public static final int MAX_EXTRA_FLAGS = 7;
    /** The longest addition to a reply whose request had an extension of Weir. */
    public static final int MAX_TAIL = 16;
    /** The longest reply before encryption, with an addition. */
    public static final int MAX_REPLY = 144 + MAX_TAIL;
    /** Header before the ciphertext of an encrypted request. */
    public static final int REQUEST_HEADER = 84;
    /** Header before the ciphertext of an encrypted reply. */
    public static final int REPLY_HEADER = 40;
    /** Public keys, secret keys and shared keys of X25519. */
    public static final int KEY = 32;
    /** Nonce of the crypto box. */
    public static final int NONCE = 24;
    /** Authenticator of the crypto box. */
    public static final int MAC = 16;

    private Protocol() {}
}
