package dev.weir.storage.transfer.sqlite;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.database.sqlite.RspamdFileWriter;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.NewFile;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;

/**
 * A new SQLite file for Rspamd, with Rspamd's tables only: one flag for each digest, and each shingle owned by one
 * digest. A run always starts from the beginning, and the file gets its name when it is complete.
 */
public final class RspamdFileTarget implements HashTarget {
    private final NewFile file;
    private final RspamdFileWriter writer;
    private final InstantSource clock;
    private Omissions omissions = new Omissions();
    private boolean committed;

    private RspamdFileTarget(NewFile file, RspamdFileWriter writer, InstantSource clock) {
        this.file = file;
        this.writer = writer;
        this.clock = clock;
    }

    /**
     * Creates the file.
     *
     * @param overwrite whether an existing file may be replaced
     */
    public static RspamdFileTarget create(Path path, boolean overwrite, InstantSource clock) throws StorageException {
        NewFile file = NewFile.at(path, overwrite);
        return new RspamdFileTarget(file, RspamdFileWriter.create(file.draft()), clock);
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
    public Written write(List<Item> items, Omissions counted) throws StorageException {
        omissions = counted;
        for (Item item : items) {
            StoredHash hash = item.hash();
            writer.insert(hash);
            counted.add(Omission.NO_ROOM_FOR_FLAG, hash.flags().size() - 1L);
            if (hash.renewed() != 0) {
                counted.count(Omission.NO_ROOM_FOR_RENEWAL);
            }
            if (hash.signature() != null && hash.signature().sides() != null) {
                counted.count(Omission.NO_ROOM_FOR_SIDES);
            }
        }
        return new Written(items.size(), 0, 0);
    }

    @Override
    public void finish() throws StorageException {
        omissions.add(Omission.SHARED_SHINGLE, writer.finish(clock.instant().getEpochSecond()));
        writer.close();
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
