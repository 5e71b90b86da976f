package dev.weir.wire;

import java.security.SecureRandom;
import java.util.Arrays;

/**
 * Fresh nonces without a lock and without allocation: a ChaCha20 keystream under a random key that is replaced by the
 * first half of every block it makes, so that nobody who reads the state learns the nonces before. For one thread.
 */
final class Nonces {
    private static final int KEY_WORDS = 8;

    private final int[] state = new int[ChaCha20.STATE];
    private final int[] block = new int[ChaCha20.STATE];

    Nonces(SecureRandom random) {
        byte[] seed = new byte[Protocol.KEY];
        random.nextBytes(seed);
        ChaCha20.key(state, seed, 0);
        Arrays.fill(seed, (byte) 0);
    }

    /** Writes the next 24 bytes. */
    void next(byte[] out, int offset) {
        ChaCha20.input(state, 0, 0, 0, 0);
        ChaCha20.block(state, block);
        System.arraycopy(block, 0, state, 4, KEY_WORDS);
        for (int i = 0; i < Protocol.NONCE / Integer.BYTES; i++) {
            Bytes.putInt(out, offset + i * Integer.BYTES, block[KEY_WORDS + i]);
        }
        Arrays.fill(block, 0);
    }
}
