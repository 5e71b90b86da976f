package dev.weir.wire.box;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

import dev.weir.wire.LittleEndian;

/**
 * Nonces that no two boxes of this process give, without a lock and without allocation. For one thread.
 *
 * <p>The first 16 bytes are drawn once for the process, some for requests and others for replies: so what XChaCha20
 * derives
 * from them and from a shared key is the same for all that is sealed under it in that direction, and is derived once
 * ({@link SharedKey#outgoing}, {@link ClientSession#outgoing}). And so a message that comes back to this process is
 * known for
 * its own without a list of what was sent: both directions have the same key, so the authenticator would not tell.
 *
 * <p>The other 8 count, in ranges that boxes take as they need them, and are mixed one to one under secret numbers, so
 * that
 * no observer sees how much was sealed between two.
 */
final class Nonces {
    private static final int RANGE = 20;
    private static final int WORDS = 4;

    /** The words that the nonces of all requests of this process begin with. */
    private static final int[] REQUESTS = new int[WORDS];

    /** The same of replies. */
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
        // Multiplying by an odd number is one to one.
        SECOND_SECRET = random.nextLong() | 1;
    }

    private long next;

    /** Writes the 24 bytes for the next request. */
    void request(byte[] out, int offset) {
        next(REQUESTS, out, offset);
    }

    /** Writes the 24 bytes for the next reply. */
    void reply(byte[] out, int offset) {
        next(REPLIES, out, offset);
    }

    /** A range is that behind a multiple of 2^20, up to and with the next one. */
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

    /** Whether a nonce is one that this process gave a request. */
    static boolean isOfRequest(byte[] bytes, int offset) {
        return begins(REQUESTS, bytes, offset);
    }

    /** Whether a nonce is one that this process gave a reply. */
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

    /** What is derived from the words of a key and any nonce of a request. */
    static int[] requests(int[] key) {
        return derive(key, REQUESTS);
    }

    /** What is derived from the words of a key and any nonce of a reply. */
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
