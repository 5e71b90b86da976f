package dev.weir.storage.checkpoint;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.ReadableFile;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A pass over the pages and slots of a checkpoint, by table and id. */
final class CheckpointScan {
    private static final Logger LOG = LoggerFactory.getLogger(CheckpointScan.class);

    /** A disk that fails to read sometimes succeeds at the next attempt. */
    private static final int ATTEMPTS = 3;

    private final Disk disk;
    private final Manifest manifest;

    /** A receiver of pages, and of the slots of each page. */
    interface Target {
        /**
         * Receives the records of a page.
         *
         * @param content the records, from the position on
         * @param last the last update in the page
         * @throws IllegalArgumentException if the content is not a copy of records
         */
        void page(SlotTable table, int first, int count, ByteBuffer content, long last);

        /** Receives the slot that begins at {@code at}. Its record may be free, and the slot may be damaged. */
        void slot(SlotTable table, int id, ByteBuffer slots, int at) throws StorageException;
    }

    /** A receiver of several pages, then of the slots of all of them, and so on. */
    interface Rounds {
        /** Receives the records of a page, as {@link Target#page}. */
        void page(SlotTable table, int first, int count, ByteBuffer content, long last);

        /**
         * Reads the slots of the pages since the last call, with {@link #readSlots}.
         *
         * @param file null if it does not exist
         */
        void slots(SlotTable table, @Nullable ReadableFile file, int first, int count) throws StorageException;
    }

    /** The rounds of one page each. */
    private final class SlotBySlot implements Rounds {
        private final Target target;
        private final ByteBuffer slots = SlotTable.buffer(manifest.pageRecords() * SlotTable.SIGNED.slotBytes);

        SlotBySlot(Target target) {
            this.target = target;
        }

        @Override
        public void page(SlotTable table, int first, int count, ByteBuffer content, long last) {
            target.page(table, first, count, content, last);
        }

        @Override
        public void slots(SlotTable table, @Nullable ReadableFile file, int first, int count)
                throws StorageException {
            readSlots(file, table, first, count, slots);
            for (int i = 0; i < count; i++) {
                target.slot(table, first + i, slots, i * table.slotBytes);
            }
        }
    }

    CheckpointScan(Disk disk, Manifest manifest) {
        this.disk = disk;
        this.manifest = manifest;
    }

    /**
     * Reads everything.
     *
     * @throws StorageException if the image is damaged
     */
    void run(Target target) throws IOException, StorageException {
        run(manifest.pageRecords(), new SlotBySlot(target));
    }

    /**
     * Reads everything in rounds.
     *
     * @param together records of a round, rounded down to whole pages, but at least one page
     * @throws StorageException if the image is damaged
     */
    void run(int together, Rounds target) throws IOException, StorageException {
        if (manifest.number() == 0) {
            return;
        }
        List<String> files = disk.names();
        if (!files.contains(manifest.image())) {
            throw new StorageException(disk.describe(manifest.image()) + " is missing; restore the storage from a "
                    + "backup");
        }
        try (ReadableFile image = disk.open(manifest.image())) {
            long position = 0;
            for (SlotTable table : SlotTable.values()) {
                // Without the file, all its slots are damaged.
                try (ReadableFile file = files.contains(table.file) ? disk.open(table.file) : null) {
                    position = run(table, image, position, file, Math.max(1, together / manifest.pageRecords()),
                            target);
                }
            }
        }
    }

    private long run(SlotTable table, ReadableFile image, long start, @Nullable ReadableFile file, int pages,
            Rounds target) throws StorageException {
        int bound = manifest.bound(table);
        ByteBuffer page = SlotTable.buffer(ImagePage.HEADER + HashIndex.pageBytes(manifest.pageRecords()));
        long position = start;
        int first = 1;
        while (first < bound) {
            int round = first;
            for (int i = 0; i < pages && first < bound; i++) {
                int count = Math.min(manifest.pageRecords(), bound - first);
                readPage(image, position, page, table, first);
                int length = page.remaining();
                try {
                    target.page(table, first, count, page.position(ImagePage.HEADER), ImagePage.last(page, 0));
                } catch (IllegalArgumentException e) {
                    throw damaged(position, e);
                }
                first += count;
                position += length;
            }
            target.slots(table, file, round, first - round);
        }
        return position;
    }

    /** Returns a sentence about the slot of a live record. */
    String damage(SlotTable table, int id, long[] digest, List<FlagValue> flags) {
        return disk.describe(table.file) + " is damaged at byte " + table.position(id) + ": the hash "
                + Digest.ofWords(digest, 0).hex() + " (as far as it can be read) with the flags " + flags + " is lost";
    }

    private StorageException damaged(long position, Exception cause) {
        return new StorageException(disk.describe(manifest.image()) + " is damaged at byte " + position + " ("
                + cause.getMessage() + "); restore the storage from a backup, or see with weir repair what can be kept",
                cause);
    }

    private StorageException unreadable(long position, IOException cause) {
        return new StorageException("the disk fails to read " + disk.describe(manifest.image()) + " at byte "
                + position + " (" + cause.getMessage() + "); the file may be sound: check the disk and the kernel log, "
                + "then start again, from a copy on another disk if it keeps failing", cause);
    }

    private void readOrTell(ReadableFile image, long position, ByteBuffer target) throws EOFException,
            StorageException {
        try {
            read(image, position, target);
        } catch (EOFException e) {
            throw e;
        } catch (IOException e) {
            throw unreadable(position, e);
        }
    }

    /**
     * Reads and checks a page. Its content ends at the limit.
     *
     * @throws StorageException if it is damaged
     */
    void readPage(ReadableFile image, long position, ByteBuffer page, SlotTable table, int first)
            throws StorageException {
        try {
            readOrTell(image, position, page.clear().limit(ImagePage.HEADER));
            int length = ImagePage.length(page, 0);
            if (length < 0 || length > page.capacity() - ImagePage.HEADER) {
                throw new IOException("a page of " + length + " bytes");
            }
            int end = ImagePage.HEADER + length;
            readOrTell(image, position + ImagePage.HEADER, page.limit(end).position(ImagePage.HEADER));
            ImagePage.check(page.position(0), 0, end, manifest, table, first);
        } catch (IOException e) {
            throw damaged(position, e);
        }
    }

    static void read(ReadableFile file, long position, ByteBuffer target) throws IOException {
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

    /** Reads slots. A slot that cannot be read becomes zeros, so that its checksum is wrong. */
    static void readSlots(@Nullable ReadableFile file, SlotTable table, int first, int count,
            ByteBuffer target) {
        // Also for a missing file: the caller's buffer may still have the limit of a smaller table.
        target.clear().limit(count * table.slotBytes);
        try {
            if (file != null) {
                read(file, table.position(first), target);
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
}
