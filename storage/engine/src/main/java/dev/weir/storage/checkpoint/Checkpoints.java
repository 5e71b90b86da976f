package dev.weir.storage.checkpoint;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.weir.model.Digest;
import dev.weir.model.KeyedHash;
import dev.weir.model.Signature;
import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexFullException;
import dev.weir.storage.log.Disk;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of a store, and their index. One thread at a time opens it, loads it and writes checkpoints. The writer of
 * the index uses it only through the index.
 */
public final class Checkpoints implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Checkpoints.class);

    /** Looks without many slots, a minute of those of the {@link Checkpointer}. */
    private static final int LOOKS_BEFORE_TRIM = 1_200;

    private final Disk disk;
    private final CheckpointSettings settings;
    private final SlotWriter slots;
    private final HashIndex index;
    private final List<String> damages;
    private final long damaged;
    private volatile Manifest manifest;

    /** A checkpoint whose files are on disk and whose manifest is not. */
    private @Nullable Manifest pending;
    private long lastNumber;

    /** Looks since slots were last forced because there were many. */
    private int looks;
    private final LongAdder bytesWritten = new LongAdder();

    private Checkpoints(Disk disk, CheckpointSettings settings, Manifest manifest, SlotWriter slots, HashIndex index,
            CheckpointLoader loader, long lastNumber) {
        this.disk = disk;
        this.settings = settings;
        this.manifest = manifest;
        this.slots = slots;
        this.index = index;
        this.damages = loader.damages();
        this.damaged = loader.damaged();
        this.lastNumber = lastNumber;
    }

    /** Receives the progress of a start. */
    @FunctionalInterface
    public interface Progress {
        /** Reports that {@code done} of {@code of} hashes were loaded. */
        void loaded(long done, long of);
    }

    /**
     * Returns whether a folder has a store, however damaged.
     *
     * @throws StorageException if the folder cannot be read
     */
    public static boolean exists(Disk disk) throws StorageException {
        try {
            return disk.names().stream().anyMatch(name -> name.equals(Manifest.NAME) || isPart(name));
        } catch (IOException e) {
            throw new StorageException("the store cannot be read: " + Reason.of(e), e);
        }
    }

    /** Returns whether a file is one of those that a manifest names. */
    private static boolean isPart(String name) {
        return Manifest.isImage(name) || SlotTable.PLAIN.file.equals(name) || SlotTable.SIGNED.file.equals(name);
    }

    /**
     * Opens the store of a folder, or creates one, and loads its index. The caller must then apply the updates after
     * {@link #revision} to the index, and call {@link #recovered}.
     *
     * @param ids supplies the random number of a new storage
     * @param hashes supplies the keyed hash of the index
     * @throws StorageException if the store is damaged, a newer program wrote it, or it does not fit into memory
     */
    public static Checkpoints open(Disk disk, CheckpointSettings settings, LongSupplier ids, Supplier<KeyedHash> hashes,
            Progress progress) throws StorageException {
        try {
            Set<String> files = new HashSet<>(disk.names());
            if (!files.contains(Manifest.NAME)) {
                create(disk, files, settings, ids);
            }
            // An earlier process may have renamed this manifest without forcing the folder.
            disk.force();
            Manifest manifest = Manifest.read(disk);
            long lastNumber = manifest.number();
            for (String name : files) {
                lastNumber = Math.max(lastNumber, Manifest.imageNumber(name));
            }
            HashIndex index = new HashIndex(hashes.get(),
                    (long) manifest.cut().plainBound() + manifest.cut().signedBound(), manifest.cut().signedBound());
            SlotWriter slots = new SlotWriter(disk, manifest.storageId(), settings);
            index.persist(slots);
            LongConsumer loading = done -> progress.loaded(done, manifest.hashes());
            CheckpointLoader loader = new CheckpointLoader(disk, manifest, index, settings.threads(), loading);
            loader.load();
            Checkpoints store = new Checkpoints(disk, settings, manifest, slots, index, loader, lastNumber);
            store.report();
            return store;
        } catch (IOException e) {
            throw new StorageException("the store cannot be read: " + Reason.of(e)
                    + "; check the disk and the kernel log, then start again", e);
        } catch (IndexFullException e) {
            throw new StorageException("the hashes of the store do not fit into memory (" + e.getMessage()
                    + "); give the storage more memory, or share the hashes out among several storages", e);
        }
    }

    private static void create(Disk disk, Set<String> files, CheckpointSettings settings, LongSupplier ids)
            throws IOException, StorageException {
        for (String name : files) {
            if (isPart(name)) {
                throw new StorageException(disk.describe(Manifest.NAME) + " is missing, and " + disk.describe(name)
                        + " exists" + Manifest.RECOVER);
            }
        }
        Manifest.first(ids.getAsLong(), 0, settings.pageRecords()).write(disk);
    }

    private void report() {
        damages.forEach(damage -> LOG.error("{}", damage));
        if (damaged > damages.size()) {
            LOG.error("{} more hashes are lost", damaged - damages.size());
        }
    }

    /** Returns the index of the store. */
    public HashIndex index() {
        return index;
    }

    /** Returns the random number of the storage. */
    public long storageId() {
        return manifest.storageId();
    }

    /** Returns the revision of the last checkpoint. A start needs every later update. Any thread may call it. */
    public long revision() {
        return manifest.cut().revision();
    }

    /** Returns the bytes of the last image. Any thread may call it. */
    public long imageBytes() {
        return manifest.imageBytes();
    }

    /** Returns the bytes of the slots and the image of the last checkpoint. Any thread may call it. */
    public long bytes() {
        Manifest now = manifest;
        long slots = 0;
        for (SlotTable table : SlotTable.values()) {
            slots += table.position(now.bound(table));
        }
        return slots + now.imageBytes();
    }

    /** Returns the bytes of slots that may not be on disk yet. Any thread may call it. */
    public long backlog() {
        return slots.backlog();
    }

    /** Returns the bytes written since the start. Any thread may call it. */
    public long bytesWritten() {
        return bytesWritten.sum() + slots.bytesWritten();
    }

    /** Returns the number of hashes that the start left out because their slots are damaged. */
    public long damaged() {
        return damaged;
    }

    /** Returns a sentence about damaged slots, or an empty string if no slot is damaged. */
    public String damage() {
        return damages.isEmpty() ? "" : damages.getFirst() + (damaged == 1 ? "" : " (and " + (damaged - 1) + " more)");
    }

    /** Gives the next checkpoint a number above this one. */
    void numberAfter(long number) {
        lastNumber = Math.max(lastNumber, number);
    }

    CheckpointSettings settings() {
        return settings;
    }

    /** Returns whether the last checkpoint has updates after a revision. */
    public boolean isAheadOf(long durable) {
        return manifest.last() > durable;
    }

    /** Ends the start, when the index has every update. */
    public void recovered() {
        index.recovered();
    }

    // ---- reading ----

    /**
     * Returns the signatures that some hashes have now; those without one are left out. Reads one slot for each, so the
     * time does not grow with the store. Any thread may ask.
     *
     * @throws StorageException if the slots cannot be written or read
     */
    public Map<Digest, Signature> signatures(Set<Digest> digests) throws StorageException {
        try {
            // Slots of the latest updates may be in memory only.
            slots.force();
            SlotReader reader = new SlotReader(disk, manifest.storageId(), index);
            Set<Digest> moved = new HashSet<>();
            Map<Digest, Signature> found = reader.signatures(digests, moved);
            if (!moved.isEmpty()) {
                // A hash that is forgotten and learned again meanwhile gets another slot.
                slots.force();
                found.putAll(reader.signatures(moved, new HashSet<>()));
            }
            return found;
        } catch (IOException e) {
            throw new StorageException("the signatures of hashes cannot be read: " + Reason.of(e), e);
        }
    }

    // ---- checkpoints ----

    /**
     * Writes a checkpoint with its manifest while no updates arrive.
     *
     * @param confirmed the last update that the log cannot lose
     * @throws StorageException if it cannot be written
     */
    public void checkpoint(long confirmed) throws StorageException {
        try {
            begin();
            complete(confirmed);
        } catch (IOException e) {
            throw new StorageException("the store cannot be written: " + Reason.of(e), e);
        }
    }

    /** Forces all slots. */
    void forceSlots() throws IOException {
        slots.force();
    }

    /** Returns whether a checkpoint waits for {@link #complete}. */
    boolean isPending() {
        return pending != null;
    }

    /** Writes a checkpoint except its manifest. */
    void begin() throws IOException {
        slots.force();
        Manifest next = manifest.next(++lastNumber, index.cut(), settings.pageRecords(), index.size());
        try {
            Manifest complete = writeImage(next);
            // Every hash in the image put its slot before.
            slots.force();
            disk.force();
            bytesWritten.add(complete.imageBytes());
            pending = complete;
        } catch (Throwable e) {
            try {
                disk.delete(next.image());
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
    }

    private Manifest writeImage(Manifest next) throws IOException {
        try {
            return new ImageWriter(disk, index, settings.bufferBytes()).write(next, this::forceSlotsIfMany);
        } finally {
            index.endImage();
        }
    }

    /** Forces slots if half of the buffers are full, so that updates need not wait. */
    void forceSlotsIfMany() throws IOException {
        if (slots.backlog() > (long) settings.bufferBytes() * settings.buffers() / 2) {
            slots.force();
            looks = 0;
        } else if (++looks == LOOKS_BEFORE_TRIM) {
            slots.trim();
        }
    }

    /**
     * Writes the manifest of the pending checkpoint, unless the image has updates that the log may still lose. The log
     * would give their numbers to other updates, which the next start would skip. An image may also have half an
     * update, if the index is incomplete now.
     *
     * @param confirmed the last update that the log cannot lose
     * @return whether the checkpoint counts
     * @throws IOException if it is unknown whether it counts; the caller must try again
     */
    boolean complete(long confirmed) throws IOException {
        Manifest next = pending;
        if (next == null || index.isIncomplete() || next.last() > Math.max(confirmed, next.cut().revision())) {
            return false;
        }
        next.write(disk);
        pending = null;
        manifest = next;
        index.release();
        deleteOldImages(next.image());
        return true;
    }

    /** Drops the pending checkpoint. */
    void abandon() {
        Manifest dropped = pending;
        pending = null;
        if (dropped != null) {
            delete(dropped.image());
        }
    }

    private void deleteOldImages(String current) {
        try {
            for (String name : disk.names()) {
                if (Manifest.isImage(name) && !name.equals(current)) {
                    disk.delete(name);
                }
            }
        } catch (IOException e) {
            LOG.debug("old images stay until the next checkpoint", e);
        }
    }

    private void delete(String name) {
        try {
            disk.delete(name);
        } catch (IOException e) {
            LOG.debug("{} stays until the next checkpoint", disk.describe(name), e);
        }
    }

    /** Closes the files. */
    @Override
    public void close() {
        slots.close();
    }
}
