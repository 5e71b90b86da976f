package dev.weir.scan.client;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * A source of unpredictable tags, drawn in bulk because each call of a secure random source is expensive. For one
 * thread.
 */
final class Tags {
    private final SecureRandom random;
    private final byte[] bytes = new byte[1024];
    private final ByteBuffer buffer = ByteBuffer.wrap(bytes).limit(0);

    Tags(SecureRandom random) {
        this.random = random;
    }

    /** Returns a tag other than 0. */
    int next() {
        while (true) {
            if (!buffer.hasRemaining()) {
                random.nextBytes(bytes);
                buffer.clear();
            }
            int tag = buffer.getInt();
            if (tag != 0) {
                return tag;
            }
        }
    }
}
