package dev.weir.storage.waves;

import java.nio.charset.StandardCharsets;

import dev.weir.model.KeyedHash;

/** The keyed hash of a domain without regard to case. For one thread; does not allocate. */
final class DomainHash {
    private static final int MOST_BYTES = 255;

    private final KeyedHash keyed;
    private final long[] words = new long[MOST_BYTES / Long.BYTES + 2];

    DomainHash(KeyedHash keyed) {
        this.keyed = keyed;
    }

    long of(String domain) {
        byte[] bytes = domain.getBytes(StandardCharsets.ISO_8859_1);
        return of(bytes, 0, Math.min(bytes.length, MOST_BYTES));
    }

    /** Returns the hash of at most 255 bytes. */
    long of(byte[] bytes, int from, int end) {
        int count = 0;
        long word = 0;
        int filled = 0;
        for (int at = from; at < end; at++) {
            int letter = bytes[at] & 0xff;
            letter = letter >= 'A' && letter <= 'Z' ? letter | 0x20 : letter;
            word |= (long) letter << (filled * Byte.SIZE);
            if (++filled == Long.BYTES) {
                words[count++] = word;
                word = 0;
                filled = 0;
            }
        }
        words[count++] = word;
        // The length keeps trailing zero bytes apart.
        words[count++] = (long) end - from;
        return keyed.hash(words, 0, count);
    }
}
