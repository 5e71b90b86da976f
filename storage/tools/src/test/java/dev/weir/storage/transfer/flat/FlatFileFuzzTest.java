package dev.weir.storage.transfer.flat;

import java.io.ByteArrayInputStream;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omissions;

import static org.assertj.core.api.Assertions.assertThat;

class FlatFileFuzzTest {
    /** Whatever the bytes, there is a hash for each whole record or a refusal. */
    @FuzzTest
    void reads(byte[] bytes) {
        try {
            assertThat(Moves.all(FlatFileSource.read("fuzz", new ByteArrayInputStream(bytes), bytes.length, 1),
                    new Omissions())).hasSize((bytes.length - 4) / 96);
        } catch (StorageException refused) {
            assertThat(FlatFileSource.looksLike(bytes)).isFalse();
        }
    }
}
