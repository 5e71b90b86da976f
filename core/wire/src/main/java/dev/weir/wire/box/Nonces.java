package dev.weir.wire.box;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.wire.LittleEndian;

/**
 * A generator of nonces that are unique within this process, without locks or allocation. For one thread.
 *
 * <p>The first 16 bytes are random and fixed for the process, one value for requests and one for replies. All boxes
 * under a shared key and in one direction therefore have the same XChaCha20 subkey, which is derived only once ({@link
 * SharedKey#outgoing}, {@link ClientSession#outgoing}). The process also recognizes its own messages by these bytes
 * without a list of sent messages. The authenticator cannot do that, because both directions use the same key.
 *
 * <p>The other 8 bytes are a counter. Each generator takes ranges of it as needed. A secret bijection scrambles the
 * counter, so that observers cannot see how many messages were sealed in between.
 */
final class Nonces {
    private static final int RANGE = 20;
    private static final int WORDS = 4;

    /** The first words of the nonces of all requests of this process. */
    private static final int[] REQUESTS = new int[WORDS];

    /** The first words of the nonces of all replies of this process. */
    private static final int[] REPLIES = new int[WORDS];

    private static final AtomicLong RANGES = new AtomicLong();
    private static final long FIRST_SECRET;
    private static final long SECOND_SECRET;

    static {
        SecureRandom random = new SecureRandom();
        for (int i = 0; i < WORDS; i++) {
            REQUESTS[i] = random.nextInt();
            REPLIES[i] = random.nextInt();
        }
        FIRST_SECRET = random.nextLong();
        // Multiplication by an odd number is a bijection.
        SECOND_SECRET = random.nextLong() | 1;
    }

    private long next;

    /** Writes the 24 bytes of the next request nonce. */
    void request(byte[] out, int offset) {
        next(REQUESTS, out, offset);
    }

    /** Writes the 24 bytes of the next reply nonce. */
    void reply(byte[] out, int offset) {
        next(REPLIES, out, offset);
    }

    /** Returns the next count. A range starts after a multiple of 2^20 and includes the next multiple. */
    private void next(int[] prefix, byte[] out, int offset) {
        if ((next & ((1L << RANGE) - 1)) == 0) {
            next = RANGES.getAndIncrement() << RANGE;
        }
        next++;
        for (int i = 0; i < WORDS; i++) {
            LittleEndian.putInt(out, offset + i * Integer.BYTES, prefix[i]);
        }
        LittleEndian.putLong(out, offset + WORDS * Integer.BYTES, mix(next));
    }

    /** Returns whether this process uses a nonce for requests. */
    static boolean isOfRequest(byte[] bytes, int offset) {
        return begins(REQUESTS, bytes, offset);
    }

    /** Returns whether this process uses a nonce for replies. */
    static boolean isOfReply(byte[] bytes, int offset) {
        return begins(REPLIES, bytes, offset);
    }

    private static boolean begins(int[] prefix, byte[] bytes, int offset) {
        for (int i = 0; i < WORDS; i++) {
            if (LittleEndian.getInt(bytes, offset + i * Integer.BYTES) != prefix[i]) {
                return false;
            }
        }
        return true;
    }

    /** Derives the subkey of a key for request nonces. */
    static int[] requests(int[] key) {
        return derive(key, REQUESTS);
    }

    /** Derives the subkey of a key for reply nonces. */
    static int[] replies(int[] key) {
        return derive(key, REPLIES);
    }

    private static int[] derive(int[] key, int[] prefix) {
        int[] state = new int[ChaCha20.STATE];
        int[] derived = new int[ChaCha20.STATE];
        ChaCha20.key(state, key);
        ChaCha20.input(state, prefix[0], prefix[1], prefix[2], prefix[3]);
        ChaCha20.derive(state, derived);
        int[] words = Arrays.copyOf(derived, 8);
        Arrays.fill(state, 0);
        Arrays.fill(derived, 0);
        return words;
    }

    private static long mix(long number) {
        long x = (number ^ FIRST_SECRET) * SECOND_SECRET;
        x = (x ^ (x >>> 32)) * 0xd6e8feb86659fd93L;
        x = (x ^ (x >>> 32)) * SECOND_SECRET;
        return x ^ (x >>> 32);
    }
}
