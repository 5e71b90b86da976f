package dev.weir.storage.database;

import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

import dev.weir.storage.Model;
import dev.weir.storage.StoredHash;
import dev.weir.storage.UpdateBatch;

/** A backend in memory with exactly the behavior of the contract. Closing it loses nothing. */
public final class ModelDatabase implements HashDatabase {
    private long storageId;
    private final Model model = new Model();
    private long revision;
    private OptionalLong history = OptionalLong.empty();

    public ModelDatabase(long storageId) {
        this.storageId = storageId;
    }

    public Model model() {
        return model;
    }

    @Override
    public long storageId() {
        return storageId;
    }

    @Override
    public void adopt(long newStorageId) {
        if (revision != 0 || count() != 0) {
            throw new IllegalStateException("there are hashes");
        }
        storageId = newStorageId;
    }

    @Override
    public void renumber() {
        storageId++;
    }

    @Override
    public long count() {
        return model.size();
    }

    @Override
    public double signedShare() {
        return 1;
    }

    @Override
    public long revision() {
        return revision;
    }

    @Override
    public OptionalLong history() {
        return history;
    }

    @Override
    public void keepHistory(long checksum) {
        history = OptionalLong.of(checksum);
    }

    @Override
    public void load(Consumer<StoredHash> hashes, LongConsumer progress) {
        model.all().forEach(hashes);
    }

    @Override
    public void apply(UpdateBatch batch) {
        if (batch.first() > revision + 1) {
            throw new IllegalArgumentException("updates before " + batch.first() + " are missing");
        }
        int done = (int) Math.min(revision + 1 - batch.first(), batch.updates().size());
        batch.updates().subList(done, batch.updates().size()).forEach(model::apply);
        if (batch.last() > revision) {
            revision = batch.last();
            history = batch.history();
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
