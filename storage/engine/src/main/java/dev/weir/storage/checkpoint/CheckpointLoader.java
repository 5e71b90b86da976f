package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexLoader;
import dev.weir.storage.index.LoadThreads;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.ReadableFile;
import org.jspecify.annotations.Nullable;

/** The construction of an index from a checkpoint, by several threads. */
final class CheckpointLoader {
    /** Damaged slots that are named. The others are counted. */
    private static final int NAMED = 100;

    /** Slots that a thread reads at once: few enough that they are still in its cache when it checks them. */
    static final int AT_ONCE = 128;

    private final Disk disk;
    private final Manifest manifest;
    private final HashIndex index;
    private final CheckpointScan scan;
    private final LoadThreads threads;
    private final LongConsumer progress;
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();

    /** Live hashes of each table whose slots are not in the file at all. */
    private final Map<SlotTable, Long> cut = new EnumMap<>(SlotTable.class);
    private final List<Damage> damages = new ArrayList<>();

    /** A damaged slot, with the sentence about it. */
    private record Damage(SlotTable table, int id, String text) {
        static final Comparator<Damage> ORDER = Comparator.comparing(Damage::table).thenComparingInt(Damage::id);
    }

    /**
     * Creates a loader.
     *
     * @param threads threads to use; with 1, the calling thread does everything
     * @param progress receives the number of hashes that are read, on the calling thread
     */
    CheckpointLoader(Disk disk, Manifest manifest, HashIndex index, int threads, LongConsumer progress) {
        this.disk = disk;
        this.manifest = manifest;
        this.index = index;
        this.scan = new CheckpointScan(disk, manifest);
        this.threads = new LoadThreads(threads);
        this.progress = progress;
    }

    /**
     * Fills the index.
     *
     * @throws StorageException if the image is damaged
     */
    void load() throws IOException, StorageException {
        try (IndexLoader loader = new IndexLoader(index, manifest.cut(), manifest.pageRecords(), threads)) {
            scan.run(IndexLoader.together(), new Pass(loader));
            refuseCut();
            loader.finish();
        }
    }

    /**
     * Refuses a file that ends too early or does not exist. Single slots rot; a lost file can be put back, and the next
     * checkpoint would no longer name what it has.
     */
    private void refuseCut() throws StorageException {
        synchronized (cut) {
            for (Map.Entry<SlotTable, Long> entry : cut.entrySet()) {
                throw new StorageException(disk.describe(entry.getKey().file) + " is missing or cut: "
                        + entry.getValue() + " hashes are not in it. Put the file or a backup back, or go on without "
                        + "them with weir repair --apply");
            }
        }
    }

    /** A pass over the checkpoint. */
    private final class Pass implements CheckpointScan.Rounds {
        private final IndexLoader loader;
        private final List<Lane> lanes = new ArrayList<>();

        Pass(IndexLoader loader) {
            this.loader = loader;
            for (int i = 0; i < threads.count(); i++) {
                lanes.add(new Lane(loader.lane(i)));
            }
        }

        @Override
        public void page(SlotTable table, int first, int count, ByteBuffer content, long last) {
            loader.page(table.isSigned(), first, count, content, last);
        }

        @Override
        public void slots(SlotTable table, @Nullable ReadableFile file, int first, int count) {
            AtomicInteger next = new AtomicInteger();
            threads.run(thread -> {
                for (int from = next.getAndAdd(AT_ONCE); from < count; from = next.getAndAdd(AT_ONCE)) {
                    lanes.get(thread).read(table, file, first + from, Math.min(AT_ONCE, count - from));
                    if (thread == 0) {
                        progress.accept(done.get());
                    }
                }
            });
            loader.distribute();
        }
    }

    /** What one thread reads. */
    private final class Lane {
        private final IndexLoader.Lane target;
        private final ByteBuffer slots = SlotTable.buffer(AT_ONCE * SlotTable.SIGNED.slotBytes);
        private final long[] digest = new long[Digest.WORDS];
        private final long[] shingles = new long[Signature.SLOTS];
        private int damaged;

        Lane(IndexLoader.Lane target) {
            this.target = target;
        }

        void read(SlotTable table, @Nullable ReadableFile file, int first, int count) {
            CheckpointScan.readSlots(file, table, first, count, slots);
            long size = size(file);
            int read = 0;
            for (int i = 0; i < count; i++) {
                if (target.isLive(table.isSigned(), first + i)) {
                    boolean sound = take(table, first + i, i * table.slotBytes);
                    read += sound ? 1 : 0;
                    if (!sound && table.position(first + i + 1) > size) {
                        synchronized (cut) {
                            cut.merge(table, 1L, Long::sum);
                        }
                    }
                }
            }
            done.addAndGet(read);
        }

        private static long size(@Nullable ReadableFile file) {
            try {
                return file == null ? 0 : file.size();
            } catch (IOException e) {
                return Long.MAX_VALUE;
            }
        }

        /** Returns whether the slot of a live record is sound. */
        private boolean take(SlotTable table, int id, int at) {
            table.digest(slots, at, digest);
            if (table.isSound(slots, at, id, manifest.storageId())) {
                target.add(id, digest, table.shingles(slots, at, shingles), table.mask(slots, at),
                        table.revision(slots, at));
                return true;
            }
            if (damaged++ < NAMED) {
                Damage damage = new Damage(table, id,
                        scan.damage(table, id, digest, target.flags(table.isSigned(), id)));
                synchronized (damages) {
                    damages.add(damage);
                }
            }
            lost.incrementAndGet();
            target.leaveOut(table.isSigned(), id);
            return false;
        }
    }

    /** Returns how many hashes are lost. */
    long damaged() {
        return lost.get();
    }

    /** Returns sentences that name the first of the lost hashes. */
    List<String> damages() {
        synchronized (damages) {
            return damages.stream().sorted(Damage.ORDER).limit(NAMED).map(Damage::text).toList();
        }
    }
}
