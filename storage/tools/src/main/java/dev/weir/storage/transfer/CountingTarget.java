package dev.weir.storage.transfer;

import java.util.List;

/**
 * A target that counts and writes nothing, for a dry run of a transfer into a new file.
 *
 * @param name the name of the target that a real run would create
 */
public record CountingTarget(String name) implements HashTarget {
    @Override
    public long begin(Plan plan) {
        return HashSource.START;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) {
        return new Written(items.size(), 0, 0);
    }

    @Override
    public void finish() {
        // Nothing was begun.
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
