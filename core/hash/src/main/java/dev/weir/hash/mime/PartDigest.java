package dev.weir.hash.mime;

import dev.weir.hash.shingle.Blake2b;

/** The digest of part bodies: BLAKE2b-512 under the key that all installations share, the digest of {@code rspamd}. */
final class PartDigest {
    private static final byte[] KEY = Blake2b.keyOf("rspamd");

    private PartDigest() {}

    static byte[] of(byte[] body) {
        return Blake2b.digest512(KEY, body);
    }
}
