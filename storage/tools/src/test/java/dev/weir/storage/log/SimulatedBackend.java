package dev.weir.storage.log;

import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import dev.weir.storage.Model;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.ModelDatabase;

/**
 * A backend in memory that outlives every process. It may fail before or after the work, and it checks its feeder: no
 * update is missing, repeated or unconfirmed.
 */
final class SimulatedBackend implements HashDatabase {
    static final long ID = 0x5eed;

    private final Faults faults;
    private final Ledger ledger;
    private ModelDatabase stored = new ModelDatabase(ID);
    private boolean down;
    private boolean mayRepeat;

    SimulatedBackend(Faults faults, Ledger ledger) {
        this.faults = faults;
        this.ledger = ledger;
    }

    void down(boolean isDown) {
        down = isDown;
    }

    boolean isDown() {
        return down;
    }

    Model model() {
        return stored.model();
    }

    /** Takes the content of the ledger. */
    void rebuild() {
        stored = new ModelDatabase(ID);
        long last = ledger.confirmed();
        if (last > 0) {
            stored.apply(new UpdateBatch(1, 0, ledger.updates(1, last)));
        }
    }

    @Override
    public long storageId() {
        return stored.storageId();
    }

    @Override
    public void adopt(long storageId) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void renumber() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long count() {
        return stored.count();
    }

    @Override
    public double signedShare() {
        return stored.signedShare();
    }

    @Override
    public long revision() {
        return stored.revision();
    }

    @Override
    public OptionalLong history() {
        return stored.history();
    }

    @Override
    public void keepHistory(long checksum) {
        stored.keepHistory(checksum);
    }

    @Override
    public void load(Consumer<StoredHash> hashes, LongConsumer progress) {
        stored.load(hashes, progress);
    }

    @Override
    public void apply(UpdateBatch batch) throws StorageException {
        if (down) {
            faults.refuse(Fault.BACKEND_DOWN);
            throw new StorageException("down");
        }
        if (faults.happens(Fault.BACKEND_REFUSES)) {
            throw new StorageException("refused");
        }
        long revision = stored.revision();
        Ledger.check(batch.first() <= revision + 1, "the backend gets %d behind %d", batch.first(), revision);
        Ledger.check(batch.first() == revision + 1 || mayRepeat, "the backend gets %d again, has %d", batch.first(),
                revision);
        Ledger.check(batch.updates().equals(ledger.updates(batch.first(), batch.last())),
                "the backend gets something else than what was confirmed as %d to %d", batch.first(), batch.last());
        stored.apply(batch);
        mayRepeat = faults.happens(Fault.BACKEND_FAILS_AFTER);
        if (mayRepeat) {
            throw new StorageException("failed after it was done");
        }
    }

    @Override
    public boolean compact(long spare) {
        return false;
    }

    @Override
    public void close() {
        // It outlives the process.
    }
}
