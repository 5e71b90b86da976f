package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The header of a page of an image, which the copied records follow.
 *
 * <pre>
 *   0    CRC-32C, 4, of everything behind it and the storage's number
 *   4    bytes of the records, 4
 *   8    number of the checkpoint, 8
 *   16   last update in the page, 8
 *   24   table, 4
 *   28   first id, 4
 * </pre>
 */
final class ImagePage {
    static final int HEADER = 32;

    private static final int LENGTH_AT = 4;
    private static final int NUMBER_AT = 8;
    private static final int LAST_AT = 16;
    private static final int TABLE_AT = 24;
    private static final int FIRST_AT = 28;

    private ImagePage() {}

    /** Completes the page that begins at {@code at} and ends at the position. */
    static void seal(ByteBuffer page, int at, Manifest of, SlotTable table, int first, long last) {
        page.putInt(at + LENGTH_AT, page.position() - at - HEADER).putLong(at + NUMBER_AT, of.number())
                .putLong(at + LAST_AT, last).putInt(at + TABLE_AT, table.number).putInt(at + FIRST_AT, first);
        page.putInt(at, sum(page, at, page.position(), of.storageId()));
    }

    /** Returns the bytes of the records that follow a header. */
    static int length(ByteBuffer page, int at) {
        return page.getInt(at + LENGTH_AT);
    }

    static long number(ByteBuffer page, int at) {
        return page.getLong(at + NUMBER_AT);
    }

    static int table(ByteBuffer page, int at) {
        return page.getInt(at + TABLE_AT);
    }

    static int first(ByteBuffer page, int at) {
        return page.getInt(at + FIRST_AT);
    }

    static long last(ByteBuffer page, int at) {
        return page.getLong(at + LAST_AT);
    }

    /**
     * Checks the page that begins at {@code at} and ends at {@code end}.
     *
     * @throws IOException if it is damaged, or another one
     */
    static void check(ByteBuffer page, int at, int end, Manifest of, SlotTable table, int first) throws IOException {
        if (page.getInt(at) != sum(page, at, end, of.storageId())) {
            throw new IOException("the checksum does not match");
        }
        if (page.getLong(at + NUMBER_AT) != of.number() || page.getInt(at + TABLE_AT) != table.number
                || page.getInt(at + FIRST_AT) != first) {
            throw new IOException("it belongs elsewhere");
        }
    }

    private static int sum(ByteBuffer page, int at, int end, long storageId) {
        CRC32C crc = new CRC32C();
        crc.update(page.duplicate().limit(end).position(at + LENGTH_AT));
        for (long rest = storageId, i = 0; i < Long.BYTES; i++, rest >>>= Byte.SIZE) {
            crc.update((int) rest);
        }
        return (int) crc.getValue();
    }
}
