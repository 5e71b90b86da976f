package dev.weir.storage.shared;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.weir.storage.StorageException;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

/** Any file of a position is read or refused with a sentence. */
class SharedPositionFuzzTest {
    @FuzzTest
    void readsOrRefusesAnyFile(byte[] content) throws IOException {
        check(content);
    }

    /** The first line is sound, so that more of the rest is read. */
    @FuzzTest
    void readsOrRefusesAnyLines(byte[] content) throws IOException {
        byte[] head = "weir shared 1\nnode 0123456789abcdef 1\nshard ".getBytes(US_ASCII);
        byte[] whole = new byte[head.length + content.length];
        System.arraycopy(head, 0, whole, 0, head.length);
        System.arraycopy(content, 0, whole, head.length, content.length);
        check(whole);
    }

    private static void check(byte[] content) throws IOException {
        Path file = Files.createTempFile("shared", "");
        try {
            Files.write(file, content);
            Optional<SharedPosition> read = SharedPosition.read(file);
            if (read.isPresent()) {
                read.get().write(file);
                SharedPosition again = SharedPosition.read(file).orElseThrow();
                assertThat(again.shards()).isEqualTo(read.get().shards());
                assertThat(again.node()).isEqualTo(read.get().node());
            }
        } catch (StorageException e) {
            assertThat(e.getMessage()).isNotBlank();
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
