package dev.weir.wire.key;

import java.util.Arrays;
import java.util.Optional;

import dev.weir.wire.LittleEndian;
import dev.weir.wire.Protocol;
import org.bouncycastle.crypto.digests.Blake2bDigest;

/** An X25519 public key of 32 bytes, with its names (docs/reference/protocol.md#key-names). */
public final class PublicKey {
    private static final int SHORT_ID = 5;

    private final byte[] key;

    private PublicKey(byte[] key) {
        this.key = key;
    }

    /**
     * Copies the bytes.
     *
     * @throws IllegalArgumentException if the length is not {@link Protocol#KEY}
     */
    public static PublicKey of(byte[] key) {
        if (key.length != Protocol.KEY) {
            throw new IllegalArgumentException("a public key has 32 bytes, not " + key.length);
        }
        return new PublicKey(key.clone());
    }

    /** Copies 32 bytes from an array. */
    public static PublicKey of(byte[] bytes, int offset) {
        return new PublicKey(Arrays.copyOfRange(bytes, offset, offset + Protocol.KEY));
    }

    /**
     * Parses 52 characters of base32, the form of {@code encryption_key} in a rule. Returns empty if they are not a
     * key.
     */
    public static Optional<PublicKey> parse(String base32) {
        return parse(base32, KeyEncoding.BASE32);
    }

    /** Parses a key in the given encoding. Returns empty if it is not a key of 32 bytes. */
    public static Optional<PublicKey> parse(String text, KeyEncoding encoding) {
        return encoding.key(text).map(PublicKey::new);
    }

    /** Returns a copy of the bytes. */
    public byte[] bytes() {
        return key.clone();
    }

    /** Copies the bytes into an array. */
    public void copyTo(byte[] target, int offset) {
        System.arraycopy(key, 0, target, offset, Protocol.KEY);
    }

    /** Returns the first 8 bytes as a little-endian number. Requests identify the key by this number. */
    public long wireId() {
        return LittleEndian.getLong(key, 0);
    }

    /** Returns the key in base32, 52 characters. */
    public String base32() {
        return Base32.encode(key);
    }

    /** Returns the name of the key in statistics: its first 8 bytes in base32, 13 characters. */
    public String statName() {
        return Base32.encode(key, 0, Long.BYTES);
    }

    /** Returns the identifier of the key: the BLAKE2b-512 of its bytes, 64 bytes. */
    public byte[] id() {
        Blake2bDigest digest = new Blake2bDigest(Protocol.DIGEST * 8);
        digest.update(key, 0, key.length);
        byte[] id = new byte[Protocol.DIGEST];
        digest.doFinal(id, 0);
        return id;
    }

    /** Returns the first 5 bytes of the identifier in base32, 8 characters. */
    public String shortId() {
        return Base32.encode(id(), 0, SHORT_ID);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PublicKey that && Arrays.equals(key, that.key);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(key);
    }

    /** Returns the key in base32. */
    @Override
    public String toString() {
        return base32();
    }
}
