package dev.weir.storage.log;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Records of {@link LogFixture} with valid checksums that this version would not write. */
final class RawRecords {
    private RawRecords() {}

    /** Changes one byte of the record that begins a buffer and ends at its position. */
    static void change(ByteBuffer record, int at, int value) {
        record.put(at, (byte) value);
        seal(record, 0, record.position());
    }

    /** Completes a record with its length and its checksum. */
    static void seal(ByteBuffer bytes, int start, int length) {
        bytes.putInt(start, length);
        CRC32C crc = new CRC32C();
        crc.update(ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(LogFixture.ID).array());
        crc.update(bytes.duplicate().limit(start + length).position(start + 8));
        bytes.putInt(start + 4, (int) crc.getValue());
    }
}
