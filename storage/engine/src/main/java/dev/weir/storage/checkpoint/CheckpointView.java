package dev.weir.storage.checkpoint;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.failure.Reason;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.CopiedPage;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.view.AuditQuery;
import dev.weir.storage.view.StorageView;

/**
 * A read-only view of the last checkpoint of a store. While the view is open, a storage that uses the store writes a
 * checkpoint only if the storage stops or its log is half full. The view then reports that its checkpoint was replaced.
 */
public final class CheckpointView implements StorageView {
    /** Damaged slots that are named. The others are counted. */
    private static final int NAMED = 20;

    private final Path folder;
    private final Disk disk;
    private final Closeable lock;
    private final Manifest manifest;

    private CheckpointView(Path folder, Disk disk, Closeable lock, Manifest manifest) {
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
    public static CheckpointView open(Path folder) throws StorageException {
        Disk disk = FolderDisk.readOnly(folder);
        Closeable lock = CheckpointLockFile.share(folder);
        try {
            return new CheckpointView(folder, disk, lock, Manifest.read(disk));
        } catch (IOException e) {
            close(lock);
            throw new StorageException("the store cannot be read: " + Reason.of(e), e);
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

    /**
     * Throws an exception if a storage replaced the checkpoint: the view may have read parts of two.
     *
     * @throws StorageException if it did, or the manifest cannot be read
     */
    public void checkCurrent() throws StorageException {
        try {
            if (Manifest.read(disk).number() != manifest.number()) {
                throw new StorageException("the storage in " + folder + " had to write a checkpoint meanwhile, because "
                        + "it stopped or its log was half full; try again");
            }
        } catch (IOException e) {
            throw new StorageException("the store cannot be read: " + Reason.of(e), e);
        }
    }

    /** Returns the number of the checkpoint, which another one of this storage never has. */
    public long number() {
        return manifest.number();
    }

    /** Returns the last update that some hash of the checkpoint may have. The log must have all of them. */
    public long last() {
        return manifest.last();
    }

    /** A receiver of hashes. */
    public interface Receiver {
        /**
         * Receives a hash. Two may have the same digest, if the hash got a signature while the checkpoint was written.
         * The one that was born later then counts.
         *
         * @param position greater than that of the previous hash
         * @param hash its flags after the first are in no particular order
         * @param born the update that gave the hash its slot
         * @param last the last update that the hash has; later ones are in the log
         */
        void hash(long position, StoredHash hash, long born, long last) throws StorageException;

        /** Counts a hash whose slot is damaged. */
        void damaged();
    }

    /**
     * Streams all hashes.
     *
     * @throws StorageException if the checkpoint is damaged or a storage replaced it; what the receiver has is sound
     */
    public void hashes(Receiver receiver) throws StorageException {
        try {
            new CheckpointScan(disk, manifest).run(new HashPass(receiver));
        } catch (IOException e) {
            throw new StorageException("the store cannot be read: " + Reason.of(e), e);
        }
    }

    /** A pass that passes on each hash. */
    private final class HashPass implements CheckpointScan.Target {
        private final Receiver receiver;
        private final long[] digest = new long[Digest.WORDS];
        private final long[] shingles = new long[Signature.SLOTS];
        private CopiedPage page = CopiedPage.of(ByteBuffer.allocate(0), 0);
        private int pageFirst;
        private long pageLast;

        HashPass(Receiver receiver) {
            this.receiver = receiver;
        }

        @Override
        public void page(SlotTable table, int first, int count, ByteBuffer content, long last) {
            page = CopiedPage.of(content, count);
            pageFirst = first;
            pageLast = last;
        }

        @Override
        public void slot(SlotTable table, int id, ByteBuffer slots, int at) throws StorageException {
            if (id == pageFirst) {
                // The slots of the page are read. While the checkpoint counts, none of them changes.
                checkCurrent();
            }
            int i = id - pageFirst;
            if (page.isFree(i)) {
                return;
            }
            if (!table.isSound(slots, at, id, manifest.storageId())) {
                receiver.damaged();
                return;
            }
            table.digest(slots, at, digest);
            Signature signature = table.signature(slots, at, shingles);
            receiver.hash((long) table.number << Integer.SIZE | id,
                    new StoredHash(Digest.ofWords(digest, 0), page.flags(i),
                            signature == null ? null : signature.withSides(page.sides(i)), page.renewed(i)),
                    table.revision(slots, at), pageLast);
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
            damages.add("the store cannot be read: " + Reason.of(e));
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
    public void audit(AuditQuery query, Consumer<LoggedUpdate> target) {
        // The log has every entry.
    }

    @Override
    public void audit(long before, Set<Digest> digests, Consumer<LoggedUpdate> target) {
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
            throw new StorageException("the store cannot be copied to " + target + ": " + Reason.of(e), e);
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
            throw new StorageException("the lock of a store cannot be released: " + Reason.of(e), e);
        }
    }

    @Override
    public void close() throws StorageException {
        close(lock);
    }
}
