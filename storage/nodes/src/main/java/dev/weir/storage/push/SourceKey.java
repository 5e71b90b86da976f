package dev.weir.storage.push;

import java.util.Comparator;

/**
 * What batches count for: a name of a slave section, and the storage of the master.
 *
 * @param storage the number of the master's storage; 0 for a master that does not say it, as Rspamd
 */
record SourceKey(String name, long storage) implements Comparable<SourceKey> {
    private static final Comparator<SourceKey> ORDER = Comparator.comparing(SourceKey::name)
            .thenComparingLong(SourceKey::storage);

    static SourceKey ofRspamd(String name) {
        return new SourceKey(name, 0);
    }

    @Override
    public int compareTo(SourceKey other) {
        return ORDER.compare(this, other);
    }
}
