package dev.weir.storage.transfer;

import java.util.function.LongFunction;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;

/** A source of artificial hashes. Hash {@code n} of {@code 1..count} is at position n. */
public record ListSource(long count, long fingerprint, LongFunction<StoredHash> hashes) implements HashSource {
    @Override
    public String name() {
        return "made up";
    }

    @Override
    public long remaining(long after) {
        return count - Math.max(0, after);
    }

    @Override
    public void read(long after, Sink sink, Omissions omissions) throws StorageException {
        for (long n = Math.max(0, after) + 1; n <= count; n++) {
            sink.accept(n, hashes.apply(n));
        }
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}
