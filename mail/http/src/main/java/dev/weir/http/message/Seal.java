package dev.weir.http.message;

import java.nio.ByteBuffer;

/**
 * The nonce and the authenticator of an encrypted request, as words: two requests have the same only if one is a copy
 * of the other. They cannot be changed without the key.
 */
public record Seal(long first, long second, long third, long fourth, long fifth) {
    /** The number of bytes at the start of an encrypted body. */
    public static final int BYTES = 5 * Long.BYTES;

    /** Reads the seal of an encrypted body of at least {@value #BYTES} bytes. */
    public static Seal of(byte[] body) {
        ByteBuffer bytes = ByteBuffer.wrap(body, 0, BYTES);
        return new Seal(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }
}
