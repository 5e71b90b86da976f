package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.Disk;
import dev.weir.storage.log.DiskFile;
import dev.weir.storage.log.ReadableFile;

/**
 * The file that says which checkpoint counts. Its content is there three times: twice in the first block, which earlier
 * versions read, and once in the next one, because a disk loses whole blocks.
 *
 * @param storageId random number of the storage
 * @param number of the checkpoint, which names its image; 0 before the first
 * @param cut what the image has at least, and the ids that it names
 * @param last the last update that a page of the image has
 * @param pageRecords records in a page of the image
 * @param imageBytes length of the image
 * @param hashes number of hashes, for progress
 */
record Manifest(long storageId, long number, HashIndex.Cut cut, long last, int pageRecords, long imageBytes,
        long hashes) {
    static final String NAME = "manifest";

    /** What an operator can do about a lost manifest. */
    static final String RECOVER = "; if fuzzy.db follows this store, weir adopt tells which updates it lacks, and weir "
            + "adopt --apply goes on with it; otherwise restore the storage from a backup";

    private static final String UNFINISHED = "manifest.tmp";
    private static final String IMAGE = "image-";
    private static final byte[] MAGIC = "WEIRSTO3".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION_AT = MAGIC.length - 1;
    private static final int COPY_BYTES = 2_048;
    private static final int COPIES = 3;
    private static final int CRC_AT = COPY_BYTES - Integer.BYTES;

    static String image(long number) {
        return IMAGE + number;
    }

    static boolean isImage(String name) {
        return name.startsWith(IMAGE);
    }

    /** Returns the number of an image's checkpoint; 0 if the name is not that of an image. */
    static long imageNumber(String name) {
        String digits = isImage(name) ? name.substring(IMAGE.length()) : "";
        return digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : 0;
    }

    int bound(SlotTable table) {
        return table.isSigned() ? cut.signedBound() : cut.plainBound();
    }

    /** Returns the manifest of a store without hashes. */
    static Manifest first(long storageId, long revision, int pageRecords) {
        return new Manifest(storageId, 0, new HashIndex.Cut(revision, 1, 1), revision, pageRecords, 0, 0);
    }

    /** Returns the beginning of another checkpoint of the same storage. */
    Manifest next(long newNumber, HashIndex.Cut newCut, int newPageRecords, long newHashes) {
        return new Manifest(storageId, newNumber, newCut, newCut.revision(), newPageRecords, 0, newHashes);
    }

    /** Returns this checkpoint with what is known after its image is written. */
    Manifest completed(int signedBound, long newLast, long newImageBytes) {
        return new Manifest(storageId, number, cut.withSignedBound(signedBound), newLast, pageRecords, newImageBytes,
                hashes);
    }

    String image() {
        return image(number);
    }

    /** Replaces the manifest of a folder. After a failure it is unknown which one is there. */
    void write(Disk disk) throws IOException {
        ByteBuffer content = SlotTable.buffer(COPIES * COPY_BYTES);
        for (int at = 0; at < content.capacity(); at += COPY_BYTES) {
            content.position(at).put(MAGIC).putLong(storageId).putLong(number).putLong(cut.revision()).putLong(last)
                    .putInt(cut.plainBound()).putInt(cut.signedBound()).putInt(pageRecords).putInt(0)
                    .putLong(imageBytes).putLong(hashes);
            content.putInt(at + CRC_AT, sum(content, at));
        }
        disk.delete(UNFINISHED);
        try (DiskFile file = disk.create(UNFINISHED)) {
            file.writeFully(content.clear(), 0);
            file.force();
        }
        disk.rename(UNFINISHED, NAME);
        disk.force();
    }

    private static int sum(ByteBuffer content, int at) {
        CRC32C crc = new CRC32C();
        crc.update(content.duplicate().limit(at + CRC_AT).position(at));
        return (int) crc.getValue();
    }

    /**
     * Reads the manifest.
     *
     * @throws StorageException if all copies are damaged, or a newer program wrote it
     * @throws IOException if the disk fails to read all copies
     */
    static Manifest read(Disk disk) throws IOException, StorageException {
        IOException unreadable = null;
        try (ReadableFile file = disk.open(NAME)) {
            for (int copy = 0; copy < COPIES; copy++) {
                ByteBuffer content = SlotTable.buffer(COPY_BYTES);
                try {
                    file.readFully(content, (long) copy * COPY_BYTES);
                } catch (IOException e) {
                    unreadable = e;
                    continue;
                }
                if (content.getInt(CRC_AT) != sum(content, 0)) {
                    continue;
                }
                byte[] magic = new byte[MAGIC.length];
                content.get(0, magic);
                if (!Arrays.equals(magic, MAGIC)) {
                    throw new StorageException(disk.describe(NAME) + otherFormat(magic));
                }
                return decode(content.position(MAGIC.length));
            }
        }
        if (unreadable != null) {
            throw new IOException(disk.describe(NAME) + ": " + unreadable.getMessage(), unreadable);
        }
        throw new StorageException(disk.describe(NAME) + " is damaged" + RECOVER);
    }

    private static String otherFormat(byte[] magic) {
        if (!Arrays.equals(magic, 0, VERSION_AT, MAGIC, 0, VERSION_AT)) {
            return " is not the manifest of a store";
        }
        return magic[VERSION_AT] > MAGIC[VERSION_AT]
                ? " was written by a newer weir; use that one"
                : " has version " + (char) magic[VERSION_AT] + " of the format, of an older weir, and this weir reads "
                        + "version " + (char) MAGIC[VERSION_AT] + "; run `weir export` with the older one, then "
                        + "`weir import` with this one into another folder";
    }

    private static Manifest decode(ByteBuffer content) {
        long storageId = content.getLong();
        long number = content.getLong();
        long revision = content.getLong();
        long last = content.getLong();
        HashIndex.Cut cut = new HashIndex.Cut(revision, content.getInt(), content.getInt());
        int pageRecords = content.getInt();
        content.getInt();
        return new Manifest(storageId, number, cut, last, pageRecords, content.getLong(), content.getLong());
    }
}
