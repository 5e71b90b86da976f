package dev.weir.storage.waves;

import java.security.SecureRandom;
import java.util.SplittableRandom;

/** A generator of keys that a test can repeat: a count of clients is an estimate that depends on the key. */
final class SeededRandom extends SecureRandom {
    private static final long serialVersionUID = 1L;

    private final transient SplittableRandom random;

    SeededRandom(long seed) {
        this.random = new SplittableRandom(seed);
    }

    @Override
    public void nextBytes(byte[] bytes) {
        random.nextBytes(bytes);
    }
}
