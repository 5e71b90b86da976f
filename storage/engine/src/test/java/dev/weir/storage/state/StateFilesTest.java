package dev.weir.storage.state;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StateFilesTest {
    private static final StateFormat FORMAT = new StateFormat("clock", 2, 100);
    private static final long STORAGE = 0x9abcdef012345678L;
    private static final byte[] CONTENT = "1790000000000\n".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    @Test
    void returnsWhatWasWritten() throws Exception {
        StateFiles files = files();
        files.write(FORMAT, STORAGE, CONTENT);
        assertThat(files.read(FORMAT, STORAGE)).hasValue(CONTENT);
        assertThat(files.read(FORMAT, 0)).hasValue(CONTENT);
        assertThat(files.troubles()).isEmpty();
        assertThat(Files.readString(files.place(FORMAT))).startsWith("weir-state clock 2 9abcdef012345678 14 ");
    }

    @Test
    void aMissingFileIsNoTrouble() throws Exception {
        assertThat(files().read(FORMAT, STORAGE)).isEmpty();
        assertThat(files().troubles()).isEmpty();
    }

    @Test
    void noFlippedBitIsBelieved() throws Exception {
        StateFiles files = files();
        files.write(FORMAT, STORAGE, CONTENT);
        byte[] good = Files.readAllBytes(files.place(FORMAT));
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << bit % 8);
            assertIgnored(bad);
        }
    }

    @Test
    void noCutOrLongerFileIsBelieved() throws Exception {
        StateFiles files = files();
        files.write(FORMAT, STORAGE, CONTENT);
        byte[] good = Files.readAllBytes(files.place(FORMAT));
        for (int length = 0; length < good.length; length++) {
            assertIgnored(Arrays.copyOf(good, length));
        }
        assertIgnored(Arrays.copyOf(good, good.length + 1));
        assertIgnored(Arrays.copyOf(good, good.length + 10_000));
    }

    private void assertIgnored(byte[] bytes) throws Exception {
        StateFiles files = files();
        Files.write(files.place(FORMAT), bytes);
        assertThat(files.read(FORMAT, STORAGE)).isEmpty();
        assertThat(files.place(FORMAT)).doesNotExist();
        assertThat(files.troubles()).hasSize(1);
    }

    @Test
    void aDamagedFileIsKeptAsideUnderANameOfItsOwn() throws Exception {
        for (String text : List.of("one", "two")) {
            Files.writeString(folder.resolve("clock"), text);
            assertThat(files().read(FORMAT, STORAGE)).isEmpty();
        }
        try (Stream<Path> kept = Files.list(folder.resolve(DataFolder.ASIDE))) {
            assertThat(kept.sorted().toList()).containsExactly(
                    folder.resolve(DataFolder.ASIDE).resolve("clock.20260921-141320"),
                    folder.resolve(DataFolder.ASIDE).resolve("clock.20260921-141320-2"));
        }
    }

    @Test
    void aFileOfAnotherStorageIsNotBelieved() throws Exception {
        StateFiles files = files();
        files.write(FORMAT, STORAGE + 1, CONTENT);
        assertThat(files.read(FORMAT, STORAGE)).isEmpty();
        assertThat(files.troubles().getFirst().detail()).contains("it belongs to another storage");
    }

    @Test
    void aFileUnderTheNameOfAnotherIsNotBelieved() throws Exception {
        StateFiles files = files();
        StateFormat other = new StateFormat("node", 2, 100);
        files.write(other, STORAGE, CONTENT);
        Files.move(files.place(other), files.place(FORMAT));
        assertThat(files.read(FORMAT, STORAGE)).isEmpty();
        assertThat(files.troubles().getFirst().detail()).contains("it is a file node");
    }

    @Test
    void aFileOfANewerVersionIsRefusedAndStays() throws IOException {
        StateFiles files = files();
        files.write(new StateFormat("clock", 3, 100), STORAGE, CONTENT);
        assertThatThrownBy(() -> files.read(FORMAT, STORAGE)).isInstanceOf(StorageException.class)
                .hasMessageContaining("a newer Weir wrote it");
        assertThat(files.place(FORMAT)).exists();
    }

    private StateFiles files() {
        return new StateFiles(folder, InstantSource.fixed(Instant.ofEpochMilli(1_790_000_000_000L)));
    }

    @Test
    void aSoundFileCanBeHandedOverToAnotherStorage() throws Exception {
        StateFiles files = files();
        files.write(FORMAT, STORAGE, CONTENT);
        files.handOver(List.of("clock", "missing"), STORAGE + 1);
        assertThat(files.read(FORMAT, STORAGE + 1)).hasValue(CONTENT);
        byte[] bad = Files.readAllBytes(files.place(FORMAT));
        bad[bad.length - 1] ^= 1;
        Files.write(files.place(FORMAT), bad);
        files.handOver(List.of("clock"), STORAGE + 2);
        assertThat(files.place(FORMAT)).hasBinaryContent(bad);
    }

    @Test
    void personalDataAreNotKeptAside() throws Exception {
        StateFiles files = files();
        StateFormat personal = new StateFormat("clock", 2, 100, true);
        Files.writeString(files.place(personal), "words");
        assertThat(files.read(personal, STORAGE)).isEmpty();
        assertThat(files.troubles()).singleElement().asString().contains("was deleted");
        assertThat(folder).isEmptyDirectory();
    }
}
