package dev.weir.config.ucl;

import java.util.List;

import dev.weir.config.source.Origin;

/**
 * An array written with brackets. A repeated key has several values instead, see {@link UclObject}.
 *
 * @param items the items in order
 */
public record UclArray(List<UclValue> items, Origin origin, int priority) implements UclValue {
    /** Copies the list. */
    public UclArray {
        items = List.copyOf(items);
    }
}
