package dev.weir.http.access;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.concurrent.Semaphore;

import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.jspecify.annotations.Nullable;

/**
 * Compares with one stored password and remembers the last success under a random key, because a slow hash takes a tenth
 * of a second. One slow comparison runs at a time in the process that shares the gate: guessing costs others no more than
 * one processor. Thread-safe.
 */
final class Passwords {
    private static final int DIGEST = 32;

    private final StoredPassword stored;
    private final Semaphore slow;
    private final byte[] key = new byte[DIGEST];
    private volatile byte @Nullable [] remembered;

    Passwords(StoredPassword stored, SecureRandom random, Semaphore slow) {
        this.stored = stored;
        this.slow = slow;
        random.nextBytes(key);
    }

    boolean matches(byte[] password) throws InterruptedException {
        if (!stored.isSlow()) {
            return stored.matches(password);
        }
        if (password.length > StoredPassword.MAX_LENGTH) {
            return false;
        }
        byte[] print = print(password);
        if (isRemembered(print)) {
            return true;
        }
        slow.acquire();
        try {
            // Whoever waited may find that another request has done the work.
            boolean matches = isRemembered(print) || stored.matches(password);
            if (matches) {
                remembered = print;
            }
            return matches;
        } finally {
            slow.release();
        }
    }

    private boolean isRemembered(byte[] print) {
        byte[] known = remembered;
        return known != null && MessageDigest.isEqual(known, print);
    }

    private byte[] print(byte[] password) {
        Blake2bDigest digest = new Blake2bDigest(key, DIGEST, null, null);
        digest.update(password, 0, password.length);
        byte[] out = new byte[DIGEST];
        digest.doFinal(out, 0);
        return out;
    }
}
