package dev.weir.storage.transfer.dump;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.zip.CRC32C;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.storage.StoredHash;

import static org.assertj.core.api.Assertions.assertThat;

class DumpFuzzTest {
    /** Whatever the bytes, a dump is read or refused with the exception that is documented. */
    @FuzzTest
    void reads(byte[] bytes) throws IOException {
        try {
            List<StoredHash> hashes = DumpTest.read(bytes);
            assertThat(DumpTest.read(DumpTest.write(hashes))).isEqualTo(hashes);
        } catch (DumpException refused) {
            assertThat(refused).hasMessageNotContaining("null");
        }
    }

    /** The same behind checksums that are right, which no mutation would hit. */
    @FuzzTest
    void readsRecords(byte[] records) throws IOException {
        CRC32C crc = new CRC32C();
        byte[] empty = DumpTest.write(List.of());
        ByteBuffer dump = ByteBuffer.allocate(DumpFormat.HEADER + DumpFormat.BLOCK_HEADER + records.length)
                .order(ByteOrder.LITTLE_ENDIAN);
        dump.put(empty, 0, DumpFormat.HEADER).put(DumpFormat.BLOCK).put(DumpFormat.PLAIN).putInt(1)
                .putInt(records.length).putInt(records.length);
        crc.update(dump.array(), DumpFormat.HEADER, dump.position() - DumpFormat.HEADER);
        crc.update(records);
        dump.putInt((int) crc.getValue()).put(records);
        try {
            DumpTest.read(dump.array());
        } catch (DumpException refused) {
            assertThat(refused).hasMessageNotContaining("null");
        }
    }
}
