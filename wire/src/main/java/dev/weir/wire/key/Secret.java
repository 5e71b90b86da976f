package dev.weir.wire.key;

import java.security.MessageDigest;
import java.security.SecureRandom;

import dev.weir.wire.Protocol;

/**
 * A secret key of 32 bytes. It cannot be printed, is not serialisable, has no getter that a mapper could find, and is
 * compared in constant time. Use {@link #reveal()} to get the bytes.
 */
public final class Secret {
    private final byte[] key;

    private Secret(byte[] key) {
        this.key = key;
    }

    /**
     * Takes a copy of the bytes; the caller may wipe its own.
     *
     * @throws IllegalArgumentException if there are not {@link Protocol#KEY}
     */
    public static Secret of(byte[] key) {
        if (key.length != Protocol.KEY) {
            throw new IllegalArgumentException("a secret key has 32 bytes, not " + key.length);
        }
        return new Secret(key.clone());
    }

    /** A new random secret, clamped as X25519 asks for (RFC 7748, 5). */
    public static Secret generate(SecureRandom random) {
        byte[] key = new byte[Protocol.KEY];
        random.nextBytes(key);
        key[0] &= (byte) 248;
        key[31] &= 127;
        key[31] |= 64;
        return new Secret(key);
    }

    /** A copy of the bytes, for the one place that writes key files. The caller wipes it. */
    public byte[] reveal() {
        return key.clone();
    }

    /** Equal bytes, compared in constant time. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that && MessageDigest.isEqual(key, that.key);
    }

    /** The same for all: a hash would tell of the key. */
    @Override
    public int hashCode() {
        return Secret.class.hashCode();
    }

    @Override
    public String toString() {
        return "Secret[redacted]";
    }
}
