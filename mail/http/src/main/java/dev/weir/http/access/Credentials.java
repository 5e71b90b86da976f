package dev.weir.http.access;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Optional;

import org.bouncycastle.crypto.digests.Blake2bDigest;
import org.jspecify.annotations.Nullable;

/**
 * The two stored passwords. Because a slow hash takes a tenth of a second, results of comparisons are cached under a
 * random key. Thread-safe.
 */
final class Credentials {
    private static final int DIGEST = 32;

    private final Optional<StoredPassword> read;
    private final Optional<StoredPassword> enable;
    private final byte[] key = new byte[DIGEST];
    private volatile byte @Nullable [] knownRead;
    private volatile byte @Nullable [] knownEnable;

    Credentials(Optional<StoredPassword> read, Optional<StoredPassword> enable, SecureRandom random) {
        this.read = read;
        this.enable = enable;
        random.nextBytes(key);
    }

    /** Returns whether these are the passwords of the rules. */
    boolean areOf(AccessRules rules) {
        return read.equals(rules.password()) && enable.equals(rules.enablePassword());
    }

    /**
     * Returns the permission of a password if it is known within microseconds.
     *
     * @return empty if only {@link #compare} can tell
     */
    Optional<AccessDecision> glance(AccessLevel asked, byte[] password) {
        if (password.length > StoredPassword.MAX_LENGTH) {
            return Optional.of(AccessDecision.UNAUTHORIZED);
        }
        byte[] print = print(password);
        if (isSame(knownEnable, print) || (enable.isPresent() && !isSlow(enable) && enable.get().matches(password))) {
            return Optional.of(AccessDecision.FULL);
        }
        if (!reads(asked)) {
            return isSlow(enable) ? Optional.empty() : Optional.of(AccessDecision.UNAUTHORIZED);
        }
        // If the other password is slow, it may be the same password and grant more.
        if (isSame(knownRead, print) || (!isSlow(enable) && read.isPresent() && !isSlow(read)
                && read.get().matches(password))) {
            return Optional.of(ofRead());
        }
        return isSlow(enable) || isSlow(read) ? Optional.empty() : Optional.of(AccessDecision.UNAUTHORIZED);
    }

    /** Returns the permission of a password. Takes a tenth of a second for each slow hash. */
    AccessDecision compare(AccessLevel asked, byte[] password) {
        byte[] print = print(password);
        if (enable.isPresent() && enable.get().matches(password)) {
            knownEnable = print;
            return AccessDecision.FULL;
        }
        if (reads(asked) && read.isPresent() && read.get().matches(password)) {
            knownRead = print;
            return ofRead();
        }
        return AccessDecision.UNAUTHORIZED;
    }

    private boolean reads(AccessLevel asked) {
        return asked != AccessLevel.PRIVILEGED || enable.isEmpty();
    }

    private AccessDecision ofRead() {
        return enable.isPresent() ? AccessDecision.READ_ONLY : AccessDecision.FULL;
    }

    private static boolean isSlow(Optional<StoredPassword> password) {
        return password.isPresent() && password.get().isSlow();
    }

    private static boolean isSame(byte @Nullable [] known, byte[] print) {
        return known != null && MessageDigest.isEqual(known, print);
    }

    /** Returns the keyed hash that represents a password in memory. */
    byte[] print(byte[] password) {
        Blake2bDigest digest = new Blake2bDigest(key, DIGEST, null, null);
        digest.update(password, 0, password.length);
        byte[] out = new byte[DIGEST];
        digest.doFinal(out, 0);
        return out;
    }
}
