package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

import dev.weir.model.Digest;
import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.CopiedPage;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.DiskFile;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.ReadableFile;
import org.jspecify.annotations.Nullable;

/**
 * A repair of a damaged checkpoint. It writes another image, in which the records of damaged slots and of damaged pages
 * are free, and a manifest that names it. The damaged image stays under another name. The update log may then create
 * some of these hashes again, with the updates since the checkpoint only.
 *
 * <p>A damaged page loses the flags of its hashes. Their slots still name the hashes, together with those that were
 * removed before. For one thread; no other process may use the store.
 */
public final class CheckpointRepair {
    /** Damages that are named. The others are counted. */
    private static final int NAMED = 10_000;

    private static final int SEARCH_BYTES = 1 << 20;
    private static final String KEPT = "damaged-";

    private final Path folder;
    private final Disk disk;
    private final Manifest manifest;
    private final CheckpointScan scan;
    private final List<String> damages = new ArrayList<>();
    private long unnamed;
    private long lost;
    private boolean needed;

    private CheckpointRepair(Path folder, Disk disk, Manifest manifest) {
        this.folder = folder;
        this.disk = disk;
        this.manifest = manifest;
        this.scan = new CheckpointScan(disk, manifest);
    }

    /** A page of the image, in order. */
    private record Place(SlotTable table, int first, int count) {}

    /** A receiver of pages. */
    @FunctionalInterface
    private interface Target {
        /** Receives a page with the slots of its records; the content is null if the page is damaged. */
        void page(Place place, @Nullable ByteBuffer content, long last, ByteBuffer slots, long position)
                throws IOException;
    }

    /**
     * Reads a store and finds all damage.
     *
     * @throws StorageException if it cannot be repaired: without a manifest or an image
     */
    public static CheckpointRepair of(Path folder) throws StorageException {
        try {
            Disk disk = FolderDisk.of(folder);
            CheckpointRepair repair = new CheckpointRepair(folder, disk, Manifest.read(disk));
            repair.run(repair::inspect);
            return repair;
        } catch (IOException e) {
            throw new StorageException("the store cannot be read: " + Reason.of(e), e);
        }
    }

    /** Returns the number of the storage. */
    public long storageId() {
        return manifest.storageId();
    }

    /** Returns the revision of the checkpoint. */
    public long revision() {
        return manifest.cut().revision();
    }

    /** Returns whether there is anything to repair. */
    public boolean isNeeded() {
        return needed;
    }

    /** Returns sentences about the damage. The first {@value #NAMED} name what is lost. */
    public List<String> damages() {
        List<String> all = new ArrayList<>(damages);
        if (unnamed > 0) {
            all.add(unnamed + " more");
        }
        return all;
    }

    /** Returns how many hashes are lost; of a damaged page, those that were removed before count, too. */
    public long lost() {
        return lost;
    }

    /**
     * Writes the sound part.
     *
     * @return the damaged image
     * @throws StorageException if it cannot be written; the store is unchanged then
     */
    public Path run() throws StorageException {
        try {
            long number = manifest.number();
            for (String name : disk.names()) {
                number = Math.max(number, Manifest.imageNumber(name));
            }
            Manifest next = manifest.next(number + 1, manifest.cut(), manifest.pageRecords(),
                    Math.max(0, manifest.hashes() - lost));
            disk.delete(next.image());
            Manifest complete;
            try (DiskFile image = disk.create(next.image())) {
                complete = next.completed(manifest.cut().signedBound(), manifest.last(), write(image, next));
                image.force();
            }
            disk.force();
            complete.write(disk);
            disk.rename(manifest.image(), KEPT + manifest.image());
            disk.force();
            return folder.resolve(KEPT + manifest.image());
        } catch (IOException e) {
            throw new StorageException("the store cannot be repaired: " + Reason.of(e), e);
        }
    }

    /** Returns the length of the image. */
    private long write(DiskFile image, Manifest next) throws IOException, StorageException {
        ByteBuffer page = SlotTable.buffer(ImagePage.HEADER + HashIndex.pageBytes(manifest.pageRecords()));
        long[] written = new long[1];
        run((place, content, last, slots, _) -> {
            page.clear().position(ImagePage.HEADER);
            if (content == null) {
                CopiedPage.free(place.count(), page);
                ImagePage.seal(page, 0, next, place.table(), place.first(), revision());
            } else {
                CopiedPage copied = CopiedPage.of(content, place.count());
                copied.copyWithout(damaged(place, copied, slots), page);
                ImagePage.seal(page, 0, next, place.table(), place.first(), last);
            }
            int bytes = page.position();
            image.writeFully(page.flip(), written[0]);
            written[0] += bytes;
        });
        return written[0];
    }

    /** Returns which records of a page have a damaged slot. */
    private BitSet damaged(Place place, CopiedPage page, ByteBuffer slots) {
        BitSet damaged = new BitSet();
        for (int i = 0; i < place.count(); i++) {
            damaged.set(i, !page.isFree(i) && !isSound(place, slots, i));
        }
        return damaged;
    }

    private boolean isSound(Place place, ByteBuffer slots, int i) {
        return place.table().isSound(slots, i * place.table().slotBytes, place.first() + i, manifest.storageId());
    }

    private void inspect(Place place, @Nullable ByteBuffer content, long last, ByteBuffer slots, long position) {
        long[] digest = new long[Digest.WORDS];
        SlotTable table = place.table();
        if (content != null) {
            CopiedPage page = CopiedPage.of(content, place.count());
            damaged(place, page, slots).stream().forEach(i -> {
                table.digest(slots, i * table.slotBytes, digest);
                lose(scan.damage(table, place.first() + i, digest, page.flags(i)));
            });
            return;
        }
        needed = true;
        damages.add(disk.describe(manifest.image()) + " is damaged at byte " + position + ": the flags of the hashes "
                + place.first() + " to " + (place.first() + place.count() - 1) + " of " + table.file + " are lost");
        for (int i = 0; i < place.count(); i++) {
            if (isSound(place, slots, i)) {
                table.digest(slots, i * table.slotBytes, digest);
                lose("the hash " + Digest.ofWords(digest, 0).hex() + " is lost, unless it was removed before");
            }
        }
    }

    private void lose(String damage) {
        needed = true;
        lost++;
        if (damages.size() < NAMED) {
            damages.add(damage);
        } else {
            unnamed++;
        }
    }

    // ---- reading ----

    private List<Place> places() {
        List<Place> places = new ArrayList<>();
        for (SlotTable table : SlotTable.values()) {
            int bound = manifest.bound(table);
            for (int first = 1; first < bound; first += manifest.pageRecords()) {
                places.add(new Place(table, first, Math.min(manifest.pageRecords(), bound - first)));
            }
        }
        return places;
    }

    private void run(Target target) throws IOException, StorageException {
        if (manifest.number() == 0) {
            return;
        }
        List<String> files = disk.names();
        if (!files.contains(manifest.image())) {
            throw new StorageException(disk.describe(manifest.image()) + " is missing; restore the storage from a "
                    + "backup");
        }
        List<Place> places = places();
        ByteBuffer page = SlotTable.buffer(ImagePage.HEADER + HashIndex.pageBytes(manifest.pageRecords()));
        ByteBuffer slots = SlotTable.buffer(manifest.pageRecords() * SlotTable.SIGNED.slotBytes);
        try (ReadableFile image = disk.open(manifest.image());
                ReadableFile plain = files.contains(SlotTable.PLAIN.file) ? disk.open(SlotTable.PLAIN.file) : null;
                ReadableFile signed = files.contains(SlotTable.SIGNED.file) ? disk.open(SlotTable.SIGNED.file) : null) {
            long position = 0;
            int sound = next(image, position, places, 0, page);
            for (int i = 0; i < places.size(); i++) {
                Place place = places.get(i);
                CheckpointScan.readSlots(place.table().isSigned() ? signed : plain, place.table(), place.first(),
                        place.count(), slots);
                if (i < sound) {
                    target.page(place, null, 0, slots, position);
                    continue;
                }
                int length = page.limit();
                target.page(place, page.position(ImagePage.HEADER), ImagePage.last(page, 0), slots, position);
                position = found + length;
                sound = next(image, position, places, i + 1, page);
            }
        }
    }

    /** Where {@link #next} found its page. */
    private long found;

    /** Returns the first sound page from a position on, and reads it; the number of pages if there is none. */
    private int next(ReadableFile image, long position, List<Place> places, int from, ByteBuffer page)
            throws IOException {
        found = position;
        if (from == places.size() || isPage(image, position, places.get(from), page)) {
            return from;
        }
        ByteBuffer window = SlotTable.buffer(SEARCH_BYTES);
        for (long at = position; at < image.size(); at += SEARCH_BYTES - ImagePage.HEADER) {
            readSome(image, at, window);
            for (int i = 0; i + ImagePage.HEADER <= window.limit(); i += Integer.BYTES) {
                int index = ImagePage.number(window, i) == manifest.number()
                        ? index(ImagePage.table(window, i), ImagePage.first(window, i))
                        : -1;
                if (index >= from && index < places.size() && isPage(image, at + i, places.get(index), page)) {
                    found = at + i;
                    return index;
                }
            }
        }
        return places.size();
    }

    /** Returns the number of the page with a first id, or -1. */
    private int index(int table, int first) {
        int page = (first - 1) / manifest.pageRecords();
        if (first < 1 || (first - 1) % manifest.pageRecords() != 0 || table < 0 || table > 1) {
            return -1;
        }
        int plain = (manifest.bound(SlotTable.PLAIN) - 1 + manifest.pageRecords() - 1) / manifest.pageRecords();
        return table == SlotTable.PLAIN.number ? page < plain ? page : -1 : plain + page;
    }

    private boolean isPage(ReadableFile image, long position, Place place, ByteBuffer page) {
        try {
            scan.readPage(image, position, page, place.table(), place.first());
            CopiedPage.of(page.duplicate().order(page.order()).position(ImagePage.HEADER), place.count());
            page.position(0);
            return true;
        } catch (StorageException | IllegalArgumentException e) {
            return false;
        }
    }

    /** Reads up to the end of the file. What the disk fails to read becomes zeros. */
    private static void readSome(ReadableFile image, long position, ByteBuffer window) throws IOException {
        window.clear().limit((int) Math.min(window.capacity(), image.size() - position));
        try {
            CheckpointScan.read(image, position, window);
        } catch (IOException e) {
            for (int i = 0; i < window.limit(); i++) {
                window.put(i, (byte) 0);
            }
        }
        window.position(0);
    }
}
