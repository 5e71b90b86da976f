package dev.weir.storage.access.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.stream.Stream;

import dev.weir.model.Digest;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

final class SkipListTest {
    private static final long STORAGE = 42;

    @TempDir
    private Path folder = Path.of("");

    private static long[] words(long number) {
        return new long[]{number, 2, 3, 4, 5, 6, 7, 8};
    }

    private static SkipList.Entry entry(long number, String reason, long end) {
        return new SkipList.Entry(Digest.ofWords(words(number), 0), reason, end);
    }

    private StateFiles files = new StateFiles(folder, InstantSource.system());

    private SkipList read() {
        SkipList list = new SkipList();
        files = new StateFiles(folder, InstantSource.system());
        list.load(files.file(SkipList.FORMAT, STORAGE));
        return list;
    }

    @Test
    void entriesAndTheirReasonsOutliveARestart() throws IOException {
        SkipList list = read();
        list.add(entry(1, "the footer of a newsletter", Long.MAX_VALUE));
        list.add(entry(2, "", 5_000));
        list.add(entry(3, "mistake", Long.MAX_VALUE));
        assertThat(list.remove(entry(3, "", 0).digest())).isTrue();
        assertThat(list.remove(entry(3, "", 0).digest())).isFalse();
        SkipList again = read();
        assertThat(again.entries()).containsExactly(entry(1, "the footer of a newsletter", Long.MAX_VALUE),
                entry(2, "", 5_000));
        assertThat(again.digests().contains(words(2))).isTrue();
        assertThat(again.digests().contains(words(3))).isFalse();
    }

    /** Whatever the reason, its entries must not go with the first change. */
    @Test
    void aFileThatCannotBeReadIsKeptBeforeTheFirstChange() throws IOException {
        Files.writeString(Files.createDirectory(folder.resolve("skips")).resolve("inside"), "kept");
        SkipList list = read();
        list.add(entry(2, "new", Long.MAX_VALUE));
        try (Stream<Path> kept = Files.walk(folder.resolve("kept-aside"))) {
            assertThat(kept.filter(Files::isRegularFile)).singleElement()
                    .satisfies(file -> assertThat(file).hasContent("kept"));
        }
        assertThat(read().entries()).containsExactly(entry(2, "new", Long.MAX_VALUE));
    }

    @Test
    void anEntryEndsAtItsTime() throws IOException {
        SkipList list = read();
        list.add(entry(1, "for now", 5_000));
        list.expire(4_999);
        assertThat(list.digests().contains(words(1))).isTrue();
        list.expire(5_000);
        assertThat(list.digests().contains(words(1))).isFalse();
        assertThat(list.entries()).isEmpty();
    }

    @Test
    void aReasonCannotAddALine() throws IOException {
        SkipList list = read();
        list.add(entry(1, "good\n" + entry(2, "", 0).digest().hex() + " 9 bad", Long.MAX_VALUE));
        assertThat(read().entries()).isEqualTo(list.entries()).hasSize(1);
    }

    /** The file is kept aside, and the next start reports nothing. A damaged line end takes two entries. */
    @Test
    void aFlippedBitIsReportedAndTheOtherEntriesStayInForce() throws IOException {
        SkipList list = read();
        for (int i = 1; i <= 3; i++) {
            list.add(entry(i, "kept", Long.MAX_VALUE));
        }
        Path file = folder.resolve("skips");
        byte[] good = Files.readAllBytes(file);
        for (int bit = 0; bit < good.length * 8; bit += 7) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << bit % 8);
            Files.write(file, bad);
            SkipList damaged = read();
            assertThat(files.troubles()).as("bit %d", bit).hasSize(1);
            long left = damaged.entries().stream().filter(list.entries()::contains).count();
            assertThat(left).as("bit %d", bit).isGreaterThanOrEqualTo(bit / 8 > 60 ? 1 : 2);
            assertThat(read().entries()).isEqualTo(damaged.entries());
            assertThat(files.troubles()).isEmpty();
        }
        assertThat(folder.resolve("kept-aside")).isNotEmptyDirectory();
    }

    @Test
    void aListOfAnotherStorageIsNotInForce() throws IOException {
        read().add(entry(1, "of the other one", Long.MAX_VALUE));
        SkipList list = new SkipList();
        list.load(files.file(SkipList.FORMAT, STORAGE + 1));
        assertThat(list.entries()).isEmpty();
        assertThat(files.troubles()).hasSize(1);
    }

    @Test
    void aListOfAnEarlierVersionIsRead() throws IOException {
        String line = entry(1, "", 0).digest().hex() + " 5000 the footer\n";
        Files.writeString(folder.resolve("skips"), "weir skips 1\n" + line);
        SkipList list = read();
        assertThat(list.entries()).containsExactly(entry(1, "the footer", 5_000));
        assertThat(files.troubles()).isEmpty();
        list.add(entry(2, "new", 6_000));
        assertThat(read().entries()).hasSize(2);
        Files.writeString(folder.resolve("skips"), "weir skips 1\n" + line + "nonsense\n");
        assertThat(read().entries()).hasSize(1);
        assertThat(files.troubles()).hasSize(1);
    }

    @Test
    void aFailedWriteChangesNothing() throws IOException {
        SkipList list = new SkipList();
        list.load(new StateFiles(folder.resolve("missing"), InstantSource.system()).file(SkipList.FORMAT, STORAGE));
        assertThatIOException().isThrownBy(() -> list.add(entry(1, "", Long.MAX_VALUE)));
        assertThat(list.entries()).isEmpty();
        assertThat(list.digests().isEmpty()).isTrue();
    }

    @Test
    void theListHasAnEnd() throws IOException {
        StringBuilder text = new StringBuilder("weir skips 1\n");
        for (int i = 0; i < SkipList.MOST; i++) {
            text.append(entry(i, "", 0).digest().hex()).append(" 5000 full\n");
        }
        Files.writeString(folder.resolve("skips"), text);
        SkipList list = read();
        assertThat(list.entries()).hasSize(SkipList.MOST);
        assertThatIllegalStateException().isThrownBy(() -> list.add(entry(-1, "", 5_000)));
        list.add(entry(1, "another reason", 6_000));
        assertThat(list.entries()).hasSize(SkipList.MOST).contains(entry(1, "another reason", 6_000));
    }
}
