package dev.weir.storage.transfer.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.weir.model.Signature;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.sqlite.CopiedFile;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.NewFile;
import dev.weir.storage.transfer.Omissions;
import org.jspecify.annotations.Nullable;

/**
 * A data folder without a database, for hashes from a file of Rspamd: the usual first import. The file is copied page
 * by page with its tables and indexes, and only Weir's own tables are built from the hashes that arrive; rows that do
 * not arrive are deleted from the copy. This takes a third of the time of inserting every shingle.
 *
 * <p>The copy gets the name of the database when it is complete and on disk. A killed run leaves the folder without a
 * database and must be started again.
 */
public final class CopyTarget implements HashTarget {
    private final DataFolder folder;
    private final NewFile file;
    private final SqliteSource source;
    private @Nullable CopiedFile copy;
    private long last = HashSource.START;
    private boolean committed;

    private CopyTarget(DataFolder folder, NewFile file, SqliteSource source) {
        this.folder = folder;
        this.file = file;
        this.source = source;
    }

    /**
     * Returns whether this target is possible: the folder has neither a database nor a log, and the file has Rspamd's
     * tables and indexes and nothing else.
     */
    public static boolean fits(Path data, SqliteSource source) throws StorageException {
        return !Files.exists(DataFolder.database(data)) && !Files.exists(data.resolve(DataFolder.UPDATES))
                && source.isRspamds();
    }

    /**
     * Locks the folder, which is created if necessary.
     *
     * @param source the source of the transfer
     */
    public static CopyTarget open(Path data, SqliteSource source) throws StorageException {
        DataFolder folder = DataFolder.open(data);
        try {
            return new CopyTarget(folder, NewFile.at(folder.database(), false), source);
        } catch (Throwable e) {
            folder.close();
            throw e;
        }
    }

    @Override
    public String name() {
        return file.file().toString();
    }

    /** There is nothing to merge with and nothing to resume. */
    @Override
    public long begin(Plan plan) throws StorageException {
        source.copyTo(file.draft());
        copy = CopiedFile.open(file.draft());
        return HashSource.START;
    }

    private CopiedFile copy() {
        CopiedFile open = copy;
        if (open == null) {
            throw new IllegalStateException("not begun");
        }
        return open;
    }

    @Override
    public Written write(List<Item> items, Omissions omissions) throws StorageException {
        CopiedFile open = copy();
        for (Item item : items) {
            if (last == HashSource.START || item.position() != last + 1) {
                open.removeBetween(last, item.position());
            }
            last = item.position();
            Signature signature = item.hash().signature();
            if (signature != null) {
                open.keep(last, item.hash().digest(), signature);
            }
        }
        return new Written(items.size(), 0, 0);
    }

    @Override
    public void finish() throws StorageException {
        CopiedFile open = copy();
        open.removeBetween(last, Long.MAX_VALUE);
        open.finish();
        open.close();
        file.commit();
        committed = true;
    }

    @Override
    public void close() throws StorageException {
        try {
            if (!committed) {
                if (copy != null) {
                    copy.close();
                }
                file.discard();
            }
        } finally {
            folder.close();
        }
    }
}
