package dev.weir.wire;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Nonces that no two boxes of this process give, without a lock and without allocation. For one thread.
 *
 * <p>The first 16 bytes are drawn once for the process: so what XChaCha20 derives from them and from a shared key is the same
 * for all that is sealed under it, and is derived once ({@link SharedKey#outgoing}). The other 8 count, in ranges that boxes
 * take as they need them, and are mixed one to one under secret numbers, so that nobody sees how much was sealed between two.
 */
final class Nonces {
    private static final int RANGE = 20;

    /** The words that all nonces of this process begin with. */
    private static final int[] PREFIX = new int[4];

    private static final AtomicLong RANGES = new AtomicLong();
    private static final long FIRST_SECRET;
    private static final long SECOND_SECRET;

    static {
        SecureRandom random = new SecureRandom();
        for (int i = 0; i < PREFIX.length; i++) {
            PREFIX[i] = random.nextInt();
        }
        FIRST_SECRET = random.nextLong();
        // Multiplying by an odd number is one to one.
        SECOND_SECRET = random.nextLong() | 1;
    }

    private long next;

    /** Writes the next 24 bytes. A range is that behind a multiple of 2^20, up to and with the next one. */
    void next(byte[] out, int offset) {
        if ((next & ((1L << RANGE) - 1)) == 0) {
            next = RANGES.getAndIncrement() << RANGE;
        }
        next++;
        for (int i = 0; i < PREFIX.length; i++) {
            Bytes.putInt(out, offset + i * Integer.BYTES, PREFIX[i]);
        }
        Bytes.putLong(out, offset + PREFIX.length * Integer.BYTES, mix(next));
    }

    /** The words of the state that HChaCha20 derives the key of all these nonces from. */
    static void input(int[] state) {
        ChaCha20.input(state, PREFIX[0], PREFIX[1], PREFIX[2], PREFIX[3]);
    }

    private static long mix(long number) {
        long x = (number ^ FIRST_SECRET) * SECOND_SECRET;
        x = (x ^ (x >>> 32)) * 0xd6e8feb86659fd93L;
        x = (x ^ (x >>> 32)) * SECOND_SECRET;
        return x ^ (x >>> 32);
    }
}
