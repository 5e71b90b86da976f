package dev.weir.storage.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexLoader;
import dev.weir.storage.log.Disk;

/** The construction of an index from a checkpoint. */
final class StoreLoader implements CheckpointScan.Target {
    /** Damaged slots that are named. The others are counted. */
    private static final int NAMED = 100;

    private final Manifest manifest;
    private final CheckpointScan scan;
    private final IndexLoader loader;
    private final LongConsumer progress;
    private final long[] digest = new long[Digest.WORDS];
    private final long[] shingles = new long[Signature.SLOTS];
    private final List<String> damages = new ArrayList<>();
    private long damaged;
    private long done;

    StoreLoader(Disk disk, Manifest manifest, HashIndex index, LongConsumer progress) {
        this.manifest = manifest;
        this.scan = new CheckpointScan(disk, manifest);
        this.loader = new IndexLoader(index, manifest.cut(), manifest.pageRecords());
        this.progress = progress;
    }

    /**
     * Fills the index.
     *
     * @throws StorageException if the image is damaged
     */
    void load() throws IOException, StorageException {
        scan.run(this);
        loader.finish();
    }

    @Override
    public void page(SlotTable table, int first, int count, ByteBuffer content, long last) {
        loader.page(table.isSigned(), first, count, content, last);
    }

    @Override
    public void slot(SlotTable table, int id, ByteBuffer slots, int at) {
        if (!loader.isLive(table.isSigned(), id)) {
            return;
        }
        table.digest(slots, at, digest);
        if (table.isSound(slots, at, id, manifest.storageId())) {
            loader.add(id, digest, table.signature(slots, at, shingles), table.revision(slots, at));
            progress.accept(++done);
            return;
        }
        damaged++;
        if (damages.size() < NAMED) {
            damages.add(scan.damage(table, id, digest, loader.flags(table.isSigned(), id)));
        }
        loader.leaveOut(table.isSigned(), id);
    }

    /** Returns how many hashes are lost. */
    long damaged() {
        return damaged;
    }

    /** Returns sentences that name the first of the lost hashes. */
    List<String> damages() {
        return List.copyOf(damages);
    }
}
