package dev.weir.wire.key;

import java.security.MessageDigest;
import java.security.SecureRandom;

import dev.weir.wire.Protocol;

/**
 * A secret key of 32 bytes. Its string form is redacted, it is not serializable, it has no getter that a mapper could
 * find, and comparisons take constant time. {@link #reveal()} returns the bytes.
 */
public final class Secret {
    private final byte[] key;

    private Secret(byte[] key) {
        this.key = key;
    }

    /**
     * Copies the bytes. The caller may wipe the original.
     *
     * @throws IllegalArgumentException if the length is not {@link Protocol#KEY}
     */
    public static Secret of(byte[] key) {
        if (key.length != Protocol.KEY) {
            throw new IllegalArgumentException("a secret key has 32 bytes, not " + key.length);
        }
        return new Secret(key.clone());
    }

    /** Returns a new random secret key, clamped as X25519 requires (RFC 7748, 5). */
    public static Secret generate(SecureRandom random) {
        byte[] key = new byte[Protocol.KEY];
        random.nextBytes(key);
        key[0] &= (byte) 248;
        key[31] &= 127;
        key[31] |= 64;
        return new Secret(key);
    }

    /** Returns a copy of the bytes, for the code that writes key files. The caller wipes the copy. */
    public byte[] reveal() {
        return key.clone();
    }

    /** Compares the bytes in constant time. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that && MessageDigest.isEqual(key, that.key);
    }

    /** Returns a constant, because a hash would reveal something about the key. */
    @Override
    public int hashCode() {
        return Secret.class.hashCode();
    }

    @Override
    public String toString() {
        return "Secret[redacted]";
    }
}
