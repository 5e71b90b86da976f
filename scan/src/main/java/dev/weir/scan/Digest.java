package dev.weir.scan;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

import dev.weir.wire.Protocol;

/** The 64 bytes that name a hash. Immutable; a value. */
public final class Digest {
    private final byte[] bytes;

    private Digest(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A copy of some bytes.
     *
     * @throws IllegalArgumentException if there are not 64
     */
    public static Digest of(byte[] bytes) {
        if (bytes.length != Protocol.DIGEST) {
            throw new IllegalArgumentException("a digest has 64 bytes, not " + bytes.length);
        }
        return new Digest(bytes.clone());
    }

    /** Reads 128 hexadecimal digits of either case; nothing else is a digest. */
    public static Optional<Digest> parse(String hex) {
        if (hex.length() != 2 * Protocol.DIGEST) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Digest(HexFormat.of().parseHex(hex)));
        } catch (final IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** A copy of the 64 bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** 128 lower-case hexadecimal digits. */
    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Digest that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return hex();
    }
}
