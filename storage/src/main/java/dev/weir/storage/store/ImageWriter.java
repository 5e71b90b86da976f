package dev.weir.storage.store;

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
     * @return the manifest with the last update and the length
     */
    Manifest write(Manifest of, BetweenPages between) throws IOException {
        int pageBytes = ImagePage.HEADER + HashIndex.pageBytes(of.pageRecords());
        ByteBuffer buffer = SlotTable.buffer(writeAt + pageBytes);
        long last = of.cut().revision();
        long written = 0;
        try (DiskFile file = disk.create(of.image())) {
            for (SlotTable table : SlotTable.values()) {
                int bound = of.bound(table);
                for (int first = 1; first < bound; first += of.pageRecords()) {
                    int count = Math.min(of.pageRecords(), bound - first);
                    int at = buffer.position();
                    long inPage = index.copyPage(table.isSigned(), first, count,
                            buffer.position(at + ImagePage.HEADER));
                    ImagePage.seal(buffer, at, of, table, first, inPage);
                    last = Math.max(last, inPage);
                    if (buffer.position() >= writeAt) {
                        written += write(file, buffer, written);
                        between.run();
                    }
                }
            }
            written += write(file, buffer, written);
            file.force();
        }
        return of.completed(last, written);
    }

    private static int write(DiskFile file, ByteBuffer buffer, long position) throws IOException {
        int bytes = buffer.flip().remaining();
        file.writeFully(buffer, position);
        buffer.clear();
        return bytes;
    }
}
