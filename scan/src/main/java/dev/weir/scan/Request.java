package dev.weir.scan;

import org.jspecify.annotations.Nullable;

/**
 * What a storage is asked, without the tag and the version, which the client chooses.
 *
 * @param command one of the command codes of {@code dev.weir.wire}
 * @param flag the list, 0 to 255
 * @param value the weight of a write, opaque for a ping
 * @param digest 64 bytes
 * @param shingles 32 values, or null
 */
record Request(int command, int flag, int value, byte[] digest, long @Nullable [] shingles) {
    Request {
        if (flag < 0 || flag > 255) {
            throw new IllegalArgumentException("flag " + flag + " is not between 0 and 255");
        }
        if (digest.length != 64) {
            throw new IllegalArgumentException("a digest has 64 bytes, not " + digest.length);
        }
        if (shingles != null && shingles.length != 32) {
            throw new IllegalArgumentException("a signature has 32 shingles, not " + shingles.length);
        }
    }
}
