package dev.weir.storage.waves;

import java.nio.charset.StandardCharsets;

import dev.weir.model.KeyedHash;

/** The keyed hash of a domain without regard to case. For one thread; does not allocate. */
final class DomainHash {
    private static final int MOST_BYTES = 255;

    private final KeyedHash keyed;
    private final byte[] lower = new byte[MOST_BYTES];

    DomainHash(KeyedHash keyed) {
        this.keyed = keyed;
    }

    long of(String domain) {
        byte[] bytes = domain.getBytes(StandardCharsets.ISO_8859_1);
        return of(bytes, 0, Math.min(bytes.length, MOST_BYTES));
    }

    /** Returns the hash of at most 255 bytes. */
    long of(byte[] bytes, int from, int end) {
        for (int i = from; i < end; i++) {
            byte letter = bytes[i];
            lower[i - from] = (byte) (letter >= 'A' && letter <= 'Z' ? letter | 0x20 : letter);
        }
        return keyed.hash(lower, 0, end - from);
    }
}
