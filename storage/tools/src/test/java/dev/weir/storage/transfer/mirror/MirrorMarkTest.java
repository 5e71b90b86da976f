package dev.weir.storage.transfer.mirror;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;

import dev.weir.storage.DataFolder;
import dev.weir.storage.database.FileState;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class MirrorMarkTest {
    private static final long STORAGE = 42;
    private static final FileState LEFT = new FileState(4_096, 1_790_000_000_123_456_789L);

    @TempDir
    Path folder;

    private StateFiles files() {
        return new StateFiles(folder, InstantSource.system());
    }

    /** A damaged mark must not look like a database that another program has changed. */
    @Test
    void noFlippedBitIsBelieved() throws Exception {
        new MirrorMark(files()).write(STORAGE, LEFT);
        assertThat(new MirrorMark(files()).read(STORAGE)).contains(LEFT);
        byte[] good = Files.readAllBytes(folder.resolve(DataFolder.MIRRORED));
        for (int bit = 0; bit < good.length * 8; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(folder.resolve(DataFolder.MIRRORED), bad);
            StateFiles files = files();
            assertThat(new MirrorMark(files).peek(STORAGE)).isEmpty();
            assertThat(folder.resolve(DataFolder.MIRRORED)).exists();
            assertThat(new MirrorMark(files).read(STORAGE)).isEmpty();
            assertThat(files.troubles()).hasSize(1);
            assertThat(folder.resolve(DataFolder.MIRRORED)).doesNotExist();
        }
    }

    @Test
    void aMarkOfAnotherStorageDoesNotCount() throws Exception {
        new MirrorMark(files()).write(STORAGE, LEFT);
        assertThat(new MirrorMark(files()).read(STORAGE + 1)).isEmpty();
    }

    @Test
    void aMarkOfAnEarlierVersionIsRead() throws Exception {
        Files.writeString(folder.resolve(DataFolder.MIRRORED),
                "weir mirrored 1\n" + LEFT.bytes() + " " + LEFT.nanos() + "\n");
        assertThat(new MirrorMark(files()).read(STORAGE)).contains(LEFT);
        assertThat(new MirrorMark(files()).peek(STORAGE)).contains(LEFT);
    }
}
