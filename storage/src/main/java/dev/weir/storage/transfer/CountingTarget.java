package dev.weir.storage.transfer;

import java.util.List;

/**
 * Takes everything and writes nothing: what a dry run of a transfer into a new file uses.
 *
 * @param name of the target that there would be
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
