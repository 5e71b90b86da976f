package dev.weir.storage.access;

import org.jspecify.annotations.Nullable;

/**
 * How much may be asked; the limits of keys are in their {@link KeyRules}.
 *
 * @param network of each network, or null for none
 * @param logOnly whether all limits are only counted and logged
 */
public record Limits(@Nullable NetworkLimit network, boolean logOnly) {
    /** No limits but those of keys. */
    public static final Limits NONE = new Limits(null, false);
}
