package dev.weir.storage.transfer;

import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;

/** Short ways to run transfers in tests. */
public final class Moves {
    private Moves() {}

    /** Ignores progress. */
    public static final class Quiet implements Transfer.Progress {
        @Override
        public void preparing(long done) {
            // Progress is ignored.
        }

        @Override
        public void moving(long done, long total) {
            // Progress is ignored.
        }

        @Override
        public void finishing() {
            // Progress is ignored.
        }
    }

    /** Runs a transfer in small batches, and closes both ends. */
    public static TransferReport run(HashSource source, HashTarget target, Merge merge) throws StorageException {
        return run(source, target, merge, Expiry.NONE, false);
    }

    public static TransferReport run(HashSource source, HashTarget target, Merge merge, Expiry expiry,
            boolean restart) throws StorageException {
        return run(source, target, merge, expiry, restart, 7);
    }

    /** Runs a transfer in batches of some size, and closes both ends. */
    public static TransferReport run(HashSource source, HashTarget target, Merge merge, Expiry expiry,
            boolean restart, int batch) throws StorageException {
        try (source; target) {
            return new Transfer(source, target, merge, expiry, restart, batch).run(new Quiet());
        }
    }

    /** Returns all hashes of a source, and closes it. */
    public static List<StoredHash> all(HashSource source, Omissions omissions) throws StorageException {
        List<StoredHash> hashes = new ArrayList<>();
        try (source) {
            source.prepare(done -> {});
            long[] last = {HashSource.START};
            source.read(HashSource.START, (position, hash) -> {
                if (position <= last[0]) {
                    throw new AssertionError("position " + position + " after " + last[0]);
                }
                last[0] = position;
                hashes.add(hash);
            }, omissions);
        }
        return hashes;
    }

    /** Returns a source of hashes. */
    public static ListSource of(List<StoredHash> hashes) {
        return new ListSource(hashes.size(), hashes.hashCode(), n -> hashes.get((int) n - 1));
    }
}
