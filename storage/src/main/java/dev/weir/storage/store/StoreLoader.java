package dev.weir.storage.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexLoader;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.ReadableFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reader of a checkpoint: it fills an index with what image and slots have. */
final class StoreLoader {
    private static final Logger LOG = LoggerFactory.getLogger(StoreLoader.class);

    /** Damaged slots that are named. The others are counted. */
    private static final int NAMED = 100;

    /** A disk that fails to read sometimes succeeds at the next attempt. */
    private static final int ATTEMPTS = 3;

    private final Disk disk;
    private final Manifest manifest;
    private final LongConsumer progress;
    private final long[] digest = new long[Digest.WORDS];
    private final long[] shingles = new long[Signature.SLOTS];
    private final List<String> damages = new ArrayList<>();
    private long damaged;
    private long done;

    StoreLoader(Disk disk, Manifest manifest, LongConsumer progress) {
        this.disk = disk;
        this.manifest = manifest;
        this.progress = progress;
    }

    /**
     * Fills an index.
     *
     * @param files names of the files that exist
     * @throws StorageException if the image is damaged
     */
    void load(HashIndex index, Set<String> files) throws IOException, StorageException {
        IndexLoader loader = new IndexLoader(index, manifest.cut(), manifest.pageRecords());
        if (manifest.number() > 0) {
            if (!files.contains(manifest.image())) {
                throw new StorageException(disk.describe(manifest.image()) + " is missing; restore the storage from a "
                        + "backup");
            }
            try (ReadableFile image = disk.open(manifest.image())) {
                long position = 0;
                for (SlotTable table : SlotTable.values()) {
                    position = load(table, image, position, files, loader);
                }
            }
        }
        loader.finish();
    }

    private long load(SlotTable table, ReadableFile image, long start, Set<String> files, IndexLoader loader)
            throws IOException, StorageException {
        int bound = manifest.bound(table);
        ByteBuffer page = SlotTable.buffer(ImagePage.HEADER + HashIndex.pageBytes(manifest.pageRecords()));
        ByteBuffer slots = SlotTable.buffer(manifest.pageRecords() * table.slotBytes);
        long position = start;
        // Without the file, all its slots are damaged.
        try (ReadableFile file = files.contains(table.file) ? disk.open(table.file) : null) {
            for (int first = 1; first < bound; first += manifest.pageRecords()) {
                int count = Math.min(manifest.pageRecords(), bound - first);
                readPage(image, position, page, table, first);
                int length = page.remaining();
                long last = ImagePage.last(page, 0);
                try {
                    loader.page(table.isSigned(), first, count, page.position(ImagePage.HEADER), last);
                } catch (IllegalArgumentException e) {
                    throw damaged(position, e);
                }
                readSlots(file, table, first, count, slots);
                for (int i = 0; i < count; i++) {
                    take(table, first + i, slots, i * table.slotBytes, loader);
                }
                position += length;
            }
        }
        return position;
    }

    private StorageException damaged(long position, Exception cause) {
        return new StorageException(disk.describe(manifest.image()) + " is damaged at byte " + position + " ("
                + cause.getMessage() + "); restore the storage from a backup", cause);
    }

    private void readPage(ReadableFile image, long position, ByteBuffer page, SlotTable table, int first)
            throws StorageException {
        try {
            read(image, position, page.clear().limit(ImagePage.HEADER));
            int length = ImagePage.length(page, 0);
            if (length < 0 || length > page.capacity() - ImagePage.HEADER) {
                throw new IOException("a page of " + length + " bytes");
            }
            int end = ImagePage.HEADER + length;
            read(image, position + ImagePage.HEADER, page.limit(end).position(ImagePage.HEADER));
            ImagePage.check(page.position(0), 0, end, manifest, table, first);
        } catch (IOException e) {
            throw damaged(position, e);
        }
    }

    private static void read(ReadableFile file, long position, ByteBuffer target) throws IOException {
        int start = target.position();
        for (int attempt = 1;; attempt++) {
            try {
                file.readFully(target.position(start), position);
                break;
            } catch (IOException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
        if (target.hasRemaining()) {
            throw new EOFException("the file ends too early");
        }
    }

    /** Reads slots. Those that cannot be read are zeros, which no slot is. */
    private static void readSlots(@Nullable ReadableFile file, SlotTable table, int first, int count,
            ByteBuffer target) {
        int bytes = count * table.slotBytes;
        try {
            if (file != null) {
                read(file, table.position(first), target.clear().limit(bytes));
                return;
            }
        } catch (IOException e) {
            LOG.debug("{} slots of {} cannot be read together", count, table.file, e);
        }
        for (int i = 0; i < count; i++) {
            int at = i * table.slotBytes;
            try {
                if (file == null) {
                    throw new EOFException("the file does not exist");
                }
                read(file, table.position(first + i), target.clear().limit(at + table.slotBytes).position(at));
            } catch (IOException e) {
                for (int zero = at; zero < at + table.slotBytes; zero++) {
                    target.put(zero, (byte) 0);
                }
            }
        }
    }

    private void take(SlotTable table, int id, ByteBuffer slots, int at, IndexLoader loader) {
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
            damages.add(disk.describe(table.file) + " is damaged at byte " + table.position(id) + ": the hash "
                    + Digest.ofWords(digest, 0).hex() + " (as far as it can be read) with the flags "
                    + loader.flags(table.isSigned(), id) + " is lost");
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
