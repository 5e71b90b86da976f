package dev.weir.storage.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.BackendView;
import dev.weir.storage.index.CopiedPage;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LoggedUpdate;

/**
 * A read-only view of the last checkpoint of a store. While the view is open, a storage that uses the store writes a
 * checkpoint only if the storage stops or its log is half full. The view then reports that its checkpoint was replaced.
 */
public final class StoreView implements BackendView {
    /** Damaged slots that are named. The others are counted. */
    private static final int NAMED = 20;

    private final Path folder;
    private final Disk disk;
    private final Closeable lock;
    private final Manifest manifest;

    private StoreView(Path folder, Disk disk, Closeable lock, Manifest manifest) {
        this.folder = folder;
        this.disk = disk;
        this.lock = lock;
        this.manifest = manifest;
    }

    /**
     * Opens the last checkpoint.
     *
     * @param folder of the store
     * @throws StorageException if it cannot be read
     */
    public static StoreView open(Path folder) throws StorageException {
        Disk disk = FolderDisk.readOnly(folder);
        Closeable lock = CheckpointLockFile.share(folder);
        try {
            return new StoreView(folder, disk, lock, Manifest.read(disk));
        } catch (IOException e) {
            close(lock);
            throw new StorageException("the store cannot be read: " + e.getMessage(), e);
        } catch (StorageException | RuntimeException e) {
            close(lock);
            throw e;
        }
    }

    @Override
    public boolean hasState() {
        return true;
    }

    @Override
    public long storageId() {
        return manifest.storageId();
    }

    @Override
    public long revision() {
        return manifest.cut().revision();
    }

    @Override
    public long count() {
        return manifest.hashes();
    }

    /** Throws an exception if a storage replaced the checkpoint: the view may have read parts of two. */
    private void checkCurrent() throws StorageException {
        try {
            if (Manifest.read(disk).number() != manifest.number()) {
                throw new StorageException("the storage in " + folder + " had to write a checkpoint meanwhile, because "
                        + "it stopped or its log was half full; try again");
            }
        } catch (IOException e) {
            throw new StorageException("the store cannot be read: " + e.getMessage(), e);
        }
    }

    /** A pass over all pages and slots that collects damages. */
    private final class Reader implements CheckpointScan.Target {
        private final CheckpointScan scan = new CheckpointScan(disk, manifest);
        private final List<String> damages = new ArrayList<>();
        private final long[] digest = new long[Digest.WORDS];
        private CopiedPage page = CopiedPage.of(ByteBuffer.allocate(0), 0);
        private int pageFirst;
        private long damaged;

        @Override
        public void page(SlotTable table, int first, int count, ByteBuffer content, long last) {
            page = CopiedPage.of(content, count);
            pageFirst = first;
        }

        @Override
        public void slot(SlotTable table, int id, ByteBuffer slots, int at) {
            int i = id - pageFirst;
            if (page.isFree(i) || table.isSound(slots, at, id, manifest.storageId())) {
                return;
            }
            damaged++;
            if (damages.size() < NAMED) {
                table.digest(slots, at, digest);
                damages.add(scan.damage(table, id, digest, page.flags(i)));
            }
        }
    }

    @Override
    public List<String> damages() {
        Reader reader = new Reader();
        List<String> damages = new ArrayList<>();
        try {
            reader.scan.run(reader);
        } catch (IOException e) {
            damages.add("the store cannot be read: " + e.getMessage());
        } catch (StorageException e) {
            damages.add(String.valueOf(e.getMessage()));
        }
        damages.addAll(reader.damages);
        if (reader.damaged > reader.damages.size()) {
            damages.add(reader.damaged - reader.damages.size() + " more hashes are lost");
        }
        if (damages.isEmpty()) {
            return damages;
        }
        try {
            checkCurrent();
            return damages;
        } catch (StorageException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public List<String> leftovers() {
        return List.of();
    }

    /** Reads nothing: only the log of a store has an audit trail. */
    @Override
    public void audit(long before, String digest, Consumer<LoggedUpdate> target) {
        // The log has every entry.
    }

    /** Copies the checkpoint into a new folder. */
    @Override
    public void copyTo(Path target) throws StorageException {
        try {
            OwnerOnly.createFolders(target);
            for (SlotTable table : SlotTable.values()) {
                copy(table.file, table.position(manifest.bound(table)), target);
            }
            copy(manifest.image(), manifest.imageBytes(), target);
            checkCurrent();
            manifest.write(FolderDisk.of(target));
        } catch (IOException e) {
            throw new StorageException("the store cannot be copied to " + target + ": " + e.getMessage(), e);
        }
    }

    /** Copies the beginning of a file, which may be absent or shorter. */
    private void copy(String name, long most, Path target) throws IOException {
        Path file = folder.resolve(name);
        if (!Files.exists(file)) {
            return;
        }
        try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ);
                FileChannel to = OwnerOnly.open(target.resolve(name), StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE_NEW)) {
            long bytes = Math.min(most, from.size());
            for (long done = 0; done < bytes;) {
                done += from.transferTo(done, bytes - done, to);
            }
            to.force(true);
        }
    }

    private static void close(Closeable lock) throws StorageException {
        try {
            lock.close();
        } catch (IOException e) {
            throw new StorageException("the lock of a store cannot be released: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() throws StorageException {
        close(lock);
    }
}
