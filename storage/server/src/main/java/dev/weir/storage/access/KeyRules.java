package dev.weir.storage.access;

import java.time.Instant;
import java.util.EnumSet;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The rights and limits of one key's users (docs/reference/storage.md#key-extensions).
 *
 * @param name the customer's name for statistics, or empty
 * @param email the customer's email address for statistics, or empty
 * @param allowed the operations they may use; for writes and deletes, this applies only if no other rule decides, see
 *            {@link WriteRules}
 * @param forbidden flags hidden from them instead of those hidden by default; null for the default
 * @param limit the rate limit of all their checks together, or null
 * @param expires the time after which they can no longer check, or null
 */
public record KeyRules(String name, String email, Set<Operation> allowed, @Nullable FlagSet forbidden,
        @Nullable RateLimit limit, @Nullable Instant expires) {
    /** The default rules of a key: its users may read. */
    public static final KeyRules DEFAULT = new KeyRules("", "", EnumSet.of(Operation.READ), null, null, null);

    /** Copies the set of operations. */
    public KeyRules {
        allowed = Set.copyOf(allowed);
    }

    /** Returns a copy with another name and email address. */
    public KeyRules withName(String newName, String newEmail) {
        return new KeyRules(newName, newEmail, allowed, forbidden, limit, expires);
    }

    /** Returns a copy with other rights. */
    public KeyRules withAllowed(Operation... operations) {
        return new KeyRules(name, email, Set.of(operations), forbidden, limit, expires);
    }

    /** Returns a copy with other hidden flags. */
    public KeyRules withForbidden(FlagSet flags) {
        return new KeyRules(name, email, allowed, flags, limit, expires);
    }

    /** Returns a copy with another rate limit. */
    public KeyRules withLimit(RateLimit newLimit) {
        return new KeyRules(name, email, allowed, forbidden, newLimit, expires);
    }

    /** Returns a copy with another expiry time. */
    public KeyRules withExpires(Instant end) {
        return new KeyRules(name, email, allowed, forbidden, limit, end);
    }
}
