package dev.weir.http.access;

import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

import dev.weir.model.Networks;

/**
 * The rules of access to the HTTP interface.
 *
 * @param password grants read access
 * @param enablePassword grants read and write access
 * @param secure networks that need no password. If it contains no address, no address is trusted. If it is missing and
 *            there is no password either, the addresses of this machine are trusted
 * @param hosts host names in lower case, besides addresses and {@code localhost}, that requests without a password may
 *            use
 * @param maxFailures number of failures after which an address is refused; 0 disables the limit
 * @param window time after which all failures are forgotten
 * @param idle time without a request after which the session of a browser ends
 */
public record AccessRules(Optional<StoredPassword> password, Optional<StoredPassword> enablePassword,
        Optional<Networks> secure, Set<String> hosts, int maxFailures, Duration window, Duration idle) {
    /** Rspamd's defaults: 10 failures in a minute. */
    public static final int MAX_FAILURES = 10;
    /** See {@link #MAX_FAILURES}. */
    public static final Duration WINDOW = Duration.ofSeconds(60);
    /** The usual time after which an idle session ends. */
    public static final Duration IDLE = Duration.ofMinutes(30);
    /** The addresses of this machine. */
    public static final Networks LOOPBACK = Networks.dualStack("127.0.0.0/8", "::1/128");

    /** Copies the set. */
    public AccessRules {
        hosts = Set.copyOf(hosts);
    }

    /** Returns rules without passwords that trust some networks only. */
    public static AccessRules trusting(Networks secure) {
        return new AccessRules(Optional.empty(), Optional.empty(), Optional.of(secure), Set.of(), MAX_FAILURES, WINDOW,
                IDLE);
    }

    /** Returns whether an option says who has access. */
    public boolean isGuarded() {
        return password.isPresent() || enablePassword.isPresent() || secure.isPresent();
    }

    boolean trusts(InetAddress address) {
        return secure.isPresent() ? secure.get().contains(address) : !isGuarded() && LOOPBACK.contains(address);
    }
}
