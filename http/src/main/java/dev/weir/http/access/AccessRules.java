package dev.weir.http.access;

import java.time.Duration;
import java.util.Optional;

import dev.weir.config.map.Networks;

/**
 * Who may ask what.
 *
 * @param password allows to ask
 * @param enablePassword allows to ask and to change
 * @param secure networks that need no password
 * @param maxFailures failures of one address from which on it is refused; 0 refuses nobody
 * @param window in which that many failures are forgotten
 */
public record AccessRules(Optional<StoredPassword> password, Optional<StoredPassword> enablePassword, Networks secure,
        int maxFailures, Duration window) {
    /** Rspamd's defaults: 10 failures in a minute. */
    public static final int MAX_FAILURES = 10;
    /** See {@link #MAX_FAILURES}. */
    public static final Duration WINDOW = Duration.ofSeconds(60);

    /** No passwords, and only some networks let in. */
    public static AccessRules trusting(Networks secure) {
        return new AccessRules(Optional.empty(), Optional.empty(), secure, MAX_FAILURES, WINDOW);
    }

    /** The same with passwords. */
    public AccessRules withPasswords(Optional<StoredPassword> read, Optional<StoredPassword> enable) {
        return new AccessRules(read, enable, secure, maxFailures, window);
    }

    /** The same with other trusted networks. */
    public AccessRules withSecure(Networks networks) {
        return new AccessRules(password, enablePassword, networks, maxFailures, window);
    }
}
