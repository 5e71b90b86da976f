package dev.weir.storage.transfer.mirror;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.database.sqlite.HashWriter;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.NewFile;
import dev.weir.storage.transfer.Omissions;

/** A new database that can mirror a store. It gets its name when it is complete. */
public final class MirrorTarget implements HashTarget {
    private final NewFile file;
    private final HashWriter writer;
    private final long storageId;
    private final long revision;
    private final InstantSource clock;
    private final BooleanSupplier stopped;
    private boolean committed;

    private MirrorTarget(NewFile file, HashWriter writer, long storageId, long revision, InstantSource clock,
            BooleanSupplier stopped) {
        this.file = file;
        this.writer = writer;
        this.storageId = storageId;
        this.revision = revision;
        this.clock = clock;
        this.stopped = stopped;
    }

    /**
     * Creates the target.
     *
     * @param path the database, which is replaced if it exists
     * @param storageId the number of the storage
     * @param revision the last update that the hashes have
     * @param stopped whether to give up
     */
    public static MirrorTarget create(Path path, long storageId, long revision, InstantSource clock,
            BooleanSupplier stopped) throws StorageException {
        NewFile file = NewFile.at(path, true);
        try {
            return new MirrorTarget(file, HashWriter.create(file.draft()), storageId, revision, clock, stopped);
        } catch (StorageException e) {
            file.discard();
            throw e;
        }
    }

    @Override
    public String name() {
        return file.file().toString();
    }

    @Override
    public long begin(Plan plan) {
        return HashSource.START;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        if (stopped.getAsBoolean()) {
            throw new StorageException("the storage is stopping");
        }
        for (Item item : items) {
            writer.insert(item.hash());
        }
        return new Written(items.size(), 0, 0);
    }

    @Override
    public void finish() throws StorageException {
        writer.finish(storageId, revision, clock.instant().getEpochSecond(), stopped);
        writer.close();
        file.requireDraft();
        try {
            // Changes that SQLite keeps beside the old file must not become changes of the new one.
            new SqliteFile(file.file()).delete();
        } catch (IOException e) {
            throw new StorageException("the old " + file.file() + " cannot be deleted: " + Reason.of(e), e);
        }
        file.commit();
        committed = true;
    }

    @Override
    public void close() throws StorageException {
        if (!committed) {
            writer.close();
            file.discard();
        }
    }
}
