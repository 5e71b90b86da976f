package dev.weir.storage.transfer.mirror;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.backend.BackendStore;
import dev.weir.storage.backend.sqlite.HashWriter;
import dev.weir.storage.backend.sqlite.SqliteStore;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/** A new database that can mirror a store. It gets its name when it is complete. */
public final class MirrorTarget implements HashTarget {
    private final Path file;
    private final Path draft;
    private final BackendStore drafted;
    private final long storageId;
    private final long revision;
    private final InstantSource clock;
    private @Nullable HashWriter writer;

    /**
     * Creates the target.
     *
     * @param file the database; does not exist
     * @param revision the last update that the hashes have
     */
    public MirrorTarget(Path file, long storageId, long revision, InstantSource clock) {
        this.file = file.toAbsolutePath();
        this.draft = this.file.resolveSibling(file.getFileName() + ".unfinished");
        this.drafted = new SqliteStore(draft);
        this.storageId = storageId;
        this.revision = revision;
        this.clock = clock;
    }

    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public long begin(Plan plan) throws StorageException {
        try {
            drafted.delete();
        } catch (IOException e) {
            throw new StorageException(draft + " cannot be deleted: " + e.getMessage(), e);
        }
        HashWriter opened = HashWriter.open(draft);
        writer = opened;
        opened.beginBulk();
        return HashSource.START;
    }

    private HashWriter writer() {
        HashWriter open = writer;
        if (open == null) {
            throw new IllegalStateException("begin was not called");
        }
        return open;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        return writer().batch(() -> {
            for (Item item : items) {
                writer().insert(item.hash());
            }
            return new Written(items.size(), 0, 0);
        });
    }

    @Override
    public void finish() throws StorageException {
        writer().endBulk();
        writer().batch(() -> {
            writer().putState("storage", storageId);
            writer().putState("revision", revision);
            writer().bumpSource(clock.instant().getEpochSecond());
            return true;
        });
        close();
        try {
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            Path folder = file.getParent();
            if (folder != null) {
                FolderDisk.force(folder);
            }
            // What SQLite keeps beside a file has the name of the draft.
            drafted.delete();
        } catch (IOException e) {
            throw new StorageException("the mirror cannot be moved to " + file + ": " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws StorageException {
        HashWriter open = writer;
        writer = null;
        if (open != null) {
            open.close();
        }
    }
}
