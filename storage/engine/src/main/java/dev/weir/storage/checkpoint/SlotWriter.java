package dev.weir.storage.checkpoint;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.model.Signature;
import dev.weir.storage.index.CheckpointUnwritableException;
import dev.weir.storage.index.SlotSink;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.DiskFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writer of the slot files. It collects slots in a bounded number of buffers, and keeps each buffer until the slots
 * are forced. After a failure, it writes everything since the last success again.
 *
 * <p>The writer of the index puts slots. Any thread may {@link #force} them.
 */
final class SlotWriter implements SlotSink, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(SlotWriter.class);

    /** Buffers to keep while few slots are put. */
    static final int KEPT = 4;

    private final Disk disk;
    private final long storageId;
    private final CheckpointSettings settings;
    private final int slotsInBuffer;

    // Guarded by this.
    private final ArrayDeque<ByteBuffer> pool = new ArrayDeque<>();
    private final Map<SlotTable, Batch> open = new EnumMap<>(SlotTable.class);
    private List<Batch> full = new ArrayList<>();
    private int inUse;

    // Guarded by forcing.
    private final Object forcing = new Object();
    private final Map<SlotTable, DiskFile> files = new EnumMap<>(SlotTable.class);
    private final List<Batch> unforced = new ArrayList<>();
    private boolean unnamed;
    private final LongAdder bytesWritten = new LongAdder();

    /** Slots of one table. */
    private static final class Batch {
        final SlotTable table;
        final ByteBuffer slots;
        final int[] ids;
        int count;

        Batch(SlotTable table, ByteBuffer slots) {
            this.table = table;
            this.slots = slots;
            this.ids = new int[slots.capacity() / table.slotBytes];
        }

        boolean isFull() {
            return count == ids.length;
        }
    }

    SlotWriter(Disk disk, long storageId, CheckpointSettings settings) {
        this.disk = disk;
        this.storageId = storageId;
        this.settings = settings;
        this.slotsInBuffer = settings.bufferBytes() / SlotTable.SIGNED.slotBytes;
    }

    /** Returns the bytes of slots that may not be on disk yet, at most those of all buffers. */
    synchronized long backlog() {
        return (long) inUse * settings.bufferBytes();
    }

    long bytesWritten() {
        return bytesWritten.sum();
    }

    @Override
    public void reserve(int hashes) {
        // One more buffer for each table, whose open one may be full.
        int needed = 2 * (hashes / slotsInBuffer + 1);
        if (hasBuffers(needed)) {
            return;
        }
        try {
            force();
        } catch (IOException e) {
            throw new CheckpointUnwritableException(e);
        }
        if (!hasBuffers(needed)) {
            throw new IllegalArgumentException(hashes + " slots do not fit into the buffers");
        }
    }

    private synchronized boolean hasBuffers(int needed) {
        while (pool.size() < needed && pool.size() + inUse < settings.buffers()) {
            pool.add(SlotTable.buffer(settings.bufferBytes()));
        }
        return pool.size() >= needed;
    }

    @Override
    public synchronized void put(int id, long[] digest, @Nullable Signature signature, long revision) {
        SlotTable table = SlotTable.of(signature != null);
        Batch batch = open.get(table);
        if (batch == null || batch.isFull()) {
            if (batch != null) {
                full.add(batch);
            }
            // A failed force may hold buffers that were free when room was reserved.
            ByteBuffer buffer = pool.poll();
            batch = new Batch(table, buffer == null ? SlotTable.buffer(settings.bufferBytes()) : buffer);
            open.put(table, batch);
            inUse++;
        }
        batch.ids[batch.count++] = id;
        table.encode(digest, signature, revision, batch.slots);
    }

    private synchronized List<Batch> takeAll() {
        List<Batch> taken = full;
        taken.addAll(open.values());
        open.clear();
        full = new ArrayList<>();
        return taken;
    }

    private synchronized void recycle(List<Batch> forced) {
        inUse -= forced.size();
        for (Batch batch : forced) {
            // A new buffer is filled with zeros, which takes longer than to fill it with slots.
            if (pool.size() + inUse < settings.buffers()) {
                pool.add(batch.slots.clear());
            }
        }
    }

    /** Returns the number of buffers that wait for slots. */
    synchronized int spareBuffers() {
        return pool.size();
    }

    /** Drops buffers that only a burst of updates needed. */
    synchronized void trim() {
        while (pool.size() > KEPT) {
            pool.removeLast();
        }
    }

    /**
     * Returns after every slot that was put before is on disk.
     *
     * @throws IOException if a slot may not be on disk; the next call writes it again
     */
    void force() throws IOException {
        synchronized (forcing) {
            for (Batch batch : takeAll()) {
                for (int i = 0; i < batch.count; i++) {
                    batch.table.seal(batch.slots, i * batch.table.slotBytes, batch.ids[i], storageId);
                }
                unforced.add(batch);
            }
            if (unforced.isEmpty()) {
                return;
            }
            try {
                // In the order of the puts: a later slot of the same id must win.
                for (Batch batch : unforced) {
                    write(batch);
                }
                for (DiskFile file : files.values()) {
                    file.force();
                }
                if (unnamed) {
                    disk.force();
                    unnamed = false;
                }
            } catch (Throwable e) {
                closeFiles(e);
                throw e;
            }
            recycle(unforced);
            unforced.clear();
        }
    }

    private void write(Batch batch) throws IOException {
        DiskFile file = file(batch.table);
        int slotBytes = batch.table.slotBytes;
        for (int from = 0, to; from < batch.count; from = to) {
            to = from + 1;
            while (to < batch.count && batch.ids[to] == batch.ids[to - 1] + 1) {
                to++;
            }
            ByteBuffer run = batch.slots.duplicate().limit(to * slotBytes).position(from * slotBytes);
            file.writeFully(run, batch.table.position(batch.ids[from]));
            bytesWritten.add((long) (to - from) * slotBytes);
        }
    }

    private DiskFile file(SlotTable table) throws IOException {
        DiskFile file = files.get(table);
        if (file == null) {
            boolean exists = disk.names().contains(table.file);
            // It may exist although its creation failed.
            unnamed = true;
            file = exists ? disk.open(table.file) : disk.create(table.file);
            files.put(table, file);
        }
        return file;
    }

    /** Closes the files after a failure. The next attempt opens them again. */
    private void closeFiles(Throwable failure) {
        for (DiskFile file : files.values()) {
            try {
                file.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
        files.clear();
    }

    /** Closes the files. The log has every update whose slot was not forced. */
    @Override
    public void close() {
        synchronized (forcing) {
            for (DiskFile file : files.values()) {
                try {
                    file.close();
                } catch (IOException e) {
                    LOG.debug("closing a file of the store failed", e);
                }
            }
            files.clear();
        }
    }
}
