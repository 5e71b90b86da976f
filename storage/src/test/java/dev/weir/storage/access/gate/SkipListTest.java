package dev.weir.storage.access.gate;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import dev.weir.model.Digest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

final class SkipListTest {
    @TempDir
    private Path folder = Path.of("");

    private static long[] words(long number) {
        return new long[]{number, 2, 3, 4, 5, 6, 7, 8};
    }

    private static SkipList.Entry entry(long number, String reason, long end) {
        return new SkipList.Entry(Digest.ofWords(words(number), 0), reason, end);
    }

    private SkipList read() {
        SkipList list = new SkipList();
        list.load(folder.resolve("skips"));
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

    @Test
    void aDamagedLineLosesNoOther() throws IOException {
        read().add(entry(1, "kept", Long.MAX_VALUE));
        Files.writeString(folder.resolve("skips"), "nonsense\n" + "0".repeat(128) + " soon x\n",
                StandardOpenOption.APPEND);
        assertThat(read().entries()).containsExactly(entry(1, "kept", Long.MAX_VALUE));
    }

    /** Neither bytes that are no text nor lines that are no entries vanish with the next change. */
    @Test
    void anUnreadableFileIsKeptBeforeTheFirstChange() throws IOException {
        Path file = folder.resolve("skips");
        for (String damage : new String[]{"\u00ff", "nonsense\n"}) {
            Files.deleteIfExists(file);
            read().add(entry(1, "kept", Long.MAX_VALUE));
            Files.write(file, damage.getBytes(StandardCharsets.ISO_8859_1), StandardOpenOption.APPEND);
            byte[] before = Files.readAllBytes(file);
            SkipList list = read();
            assertThat(list.damage()).isPresent();
            list.add(entry(2, "new", Long.MAX_VALUE));
            assertThat(list.damage()).isEmpty();
            list.add(entry(3, "newer", Long.MAX_VALUE));
            assertThat(read().entries()).contains(entry(2, "new", Long.MAX_VALUE), entry(3, "newer", Long.MAX_VALUE));
            Path kept = folder.resolve("skips.damaged" + (damage.startsWith("n") ? "-2" : ""));
            assertThat(Files.readAllBytes(kept)).isEqualTo(before);
        }
        assertThat(folder.resolve("skips.damaged-3")).doesNotExist();
    }

    @Test
    void aFailedWriteChangesNothing() throws IOException {
        SkipList list = new SkipList();
        list.load(folder.resolve("missing").resolve("skips"));
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
