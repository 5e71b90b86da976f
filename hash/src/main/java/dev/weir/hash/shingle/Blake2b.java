package dev.weir.hash.shingle;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

import org.bouncycastle.crypto.digests.Blake2bDigest;

/** BLAKE2b with 64 bytes of output (RFC 7693), optionally keyed. */
public final class Blake2b {
    /** Bytes of every digest made here. */
    public static final int DIGEST_LENGTH = 64;

    private Blake2b() {}

    /**
     * Digest of the concatenation of {@code parts}.
     *
     * @param key 0 to 64 bytes; an empty key means the unkeyed function
     * @throws IllegalArgumentException if the key is longer than 64 bytes
     */
    public static byte[] digest512(byte[] key, byte[]... parts) {
        return digest512(key, Arrays.asList(parts));
    }

    /** As {@link #digest512(byte[], byte[]...)}. */
    public static byte[] digest512(byte[] key, List<byte[]> parts) {
        Blake2bDigest digest = key.length == 0
                ? new Blake2bDigest(512)
                : new Blake2bDigest(key, DIGEST_LENGTH, null, null);
        for (byte[] part : parts) {
            digest.update(part, 0, part.length);
        }
        byte[] out = new byte[DIGEST_LENGTH];
        digest.doFinal(out, 0);
        return out;
    }

    /** The 64 key bytes that a configured key string stands for: the unkeyed digest of its UTF-8 bytes. */
    public static byte[] keyOf(String configured) {
        return digest512(new byte[0], configured.getBytes(StandardCharsets.UTF_8));
    }
}
