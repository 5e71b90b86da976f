package dev.weir.http.access;

import java.util.Optional;
import java.util.Set;

import dev.weir.model.Networks;

/** Rules of access for tests, with the usual limits. */
public final class TestRules {
    /** Rules without any option: only this machine has access. */
    public static final AccessRules UNSET = of(Optional.empty(), Optional.empty(), Optional.empty());

    private TestRules() {}

    /** Returns rules with a password for reading. */
    public static AccessRules password(String read) {
        return of(Optional.of(read), Optional.empty(), Optional.empty());
    }

    /** Returns rules with passwords and trusted networks, as far as they are given. */
    public static AccessRules of(Optional<String> read, Optional<String> enable, Optional<Networks> secure) {
        return of(read.map(StoredPassword::parse), enable.map(StoredPassword::parse), secure, Set.of());
    }

    static AccessRules of(Optional<StoredPassword> read, Optional<StoredPassword> enable, Optional<Networks> secure,
            Set<String> hosts) {
        return new AccessRules(read, enable, secure, hosts, AccessRules.MAX_FAILURES, AccessRules.WINDOW,
                AccessRules.IDLE);
    }
}
