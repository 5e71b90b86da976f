package dev.weir.storage.access;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What users of one of the storage's keys may do (docs/reference/storage.md#key-extensions).
 *
 * @param name of the customer, for statistics; empty for none
 * @param email of the customer, for statistics; empty for none
 * @param allowed what they may do; for writes and deletes this is only asked when nothing else decides, see
 *            {@link Updates}
 * @param forbidden flags that they never see, in place of the general ones; null for the general ones
 * @param limit of the checks of all of them together, or null for none
 * @param expires when they may no longer check, or null for never
 */
public record KeyRules(String name, String email, Set<Operation> allowed, @Nullable FlagSet forbidden,
        @Nullable RateLimit limit, @Nullable Instant expires) {
    /** The default rights of a key: read. */
    public static final KeyRules DEFAULT = new KeyRules("", "", EnumSet.of(Operation.READ), null, null, null);

    /** Copies the set. */
    public KeyRules {
        allowed = Set.copyOf(allowed);
    }

    /** Returns a copy with a name and an address for statistics. */
    public KeyRules withName(String newName, String newEmail) {
        return new KeyRules(newName, newEmail, allowed, forbidden, limit, expires);
    }

    /** Returns a copy with other rights. */
    public KeyRules withAllowed(Operation... operations) {
        return new KeyRules(name, email, Set.of(operations), forbidden, limit, expires);
    }

    /** Returns a copy with flags of its own that are not seen. */
    public KeyRules withForbidden(FlagSet flags) {
        return new KeyRules(name, email, allowed, flags, limit, expires);
    }

    /** Returns a copy with a limit. */
    public KeyRules withLimit(RateLimit newLimit) {
        return new KeyRules(name, email, allowed, forbidden, newLimit, expires);
    }

    /** Returns a copy with an end. */
    public KeyRules withExpires(Instant end) {
        return new KeyRules(name, email, allowed, forbidden, limit, end);
    }
}
