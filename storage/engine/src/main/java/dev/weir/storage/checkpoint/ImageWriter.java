package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;

import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.DiskFile;

/** The writer of an image: what changes of all records, page by page. */
final class ImageWriter {
    private final Disk disk;
    private final HashIndex index;
    private final int writeAt;

    /** Creates a writer that writes about {@code writeAt} bytes at once. */
    ImageWriter(Disk disk, HashIndex index, int writeAt) {
        this.disk = disk;
        this.index = index;
        this.writeAt = writeAt;
    }

    /** An action between two pages. */
    @FunctionalInterface
    interface BetweenPages {
        void run() throws IOException;
    }

    /**
     * Writes and forces an image, while updates go on.
     *
     * @param of has number, cut and size of pages
     * @param between runs after each write
     * @return the manifest with the bound of the signed table, the last update and the length
     */
    Manifest write(Manifest of, BetweenPages between) throws IOException {
        int pageBytes = ImagePage.HEADER + HashIndex.pageBytes(of.pageRecords());
        ByteBuffer buffer = SlotTable.buffer(writeAt + pageBytes);
        long last = of.cut().revision();
        long written = 0;
        int signedBound = 0;
        try (DiskFile file = disk.create(of.image())) {
            for (SlotTable table : SlotTable.values()) {
                int first = 1;
                int bound = bound(of, table);
                while (first < bound) {
                    int at = buffer.position();
                    int count = Math.min(of.pageRecords(), bound - first);
                    long inPage = index.copyPage(table.isSigned(), first, count,
                            buffer.position(at + ImagePage.HEADER));
                    int now = bound(of, table);
                    if (count < of.pageRecords() && now > bound) {
                        // A hash may have moved from a copied record to one behind it.
                        bound = now;
                        buffer.position(at);
                        continue;
                    }
                    bound = now;
                    ImagePage.seal(buffer, at, of, table, first, inPage);
                    last = Math.max(last, inPage);
                    first += count;
                    if (buffer.position() >= writeAt) {
                        written += write(file, buffer, written);
                        between.run();
                    }
                }
                signedBound = first;
            }
            written += write(file, buffer, written);
            file.force();
        }
        return of.completed(signedBound, last, written);
    }

    /**
     * Returns the bound of the records to copy. If a hash without a signature gets one meanwhile, it moves to the end
     * of the signed table, which is copied later up to its current end.
     */
    private int bound(Manifest of, SlotTable table) {
        return table.isSigned() ? index.bound(true) : of.bound(table);
    }

    private static int write(DiskFile file, ByteBuffer buffer, long position) throws IOException {
        int bytes = buffer.flip().remaining();
        file.writeFully(buffer, position);
        buffer.clear();
        return bytes;
    }
}
