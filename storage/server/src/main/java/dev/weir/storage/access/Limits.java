package dev.weir.storage.access;

import org.jspecify.annotations.Nullable;

/**
 * The rate limits of networks. The limits of keys are in their {@link KeyRules}.
 *
 * @param network the limit of each network, or null
 * @param logOnly whether to only count and log requests over any limit, including those of keys
 */
public record Limits(@Nullable NetworkLimit network, boolean logOnly) {
    /** No limits of networks; keys may still have limits. */
    public static final Limits NONE = new Limits(null, false);
}
