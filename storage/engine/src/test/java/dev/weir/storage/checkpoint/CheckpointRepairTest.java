package dev.weir.storage.checkpoint;

import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.Lookup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Repairs of a store with pages of four records. */
class CheckpointRepairTest {
    private static final int HASHES = 40;

    @TempDir
    private Path folder = Path.of("");

    private @Nullable StoreFixture opened;

    /** Even hashes have a signature; every third one has several flags, so that pages differ in length. */
    @BeforeEach
    void fill() throws Exception {
        StoreFixture fixture = new StoreFixture(folder, StoreFixture.small());
        opened = fixture;
        for (int n = 0; n < HASHES; n++) {
            fixture.apply(Samples.write(n, 1, n + 1, 1_000, n % 2 == 0 ? signature(n) : null));
            for (int flag = 2; n % 3 == 0 && flag < 5; flag++) {
                fixture.apply(Samples.write(n, flag, flag, 1_001, null));
            }
        }
        fixture.checkpoint();
    }

    @AfterEach
    void close() {
        fixture().close();
    }

    /** Every third one has side hashes. */
    private static Signature signature(int n) {
        return n % 3 == 0 ? Samples.signature(n).withSides(Samples.sides(n)) : Samples.signature(n);
    }

    private StoreFixture fixture() {
        return Objects.requireNonNull(opened);
    }

    private void flip(String name, long position) throws Exception {
        try (RandomAccessFile bytes = new RandomAccessFile(fixture().file(name).toFile(), "rw")) {
            bytes.seek(position);
            int old = bytes.read();
            bytes.seek(position);
            bytes.write(old ^ 0x10);
        }
    }

    private List<Long> pages() throws Exception {
        List<Long> pages = new ArrayList<>();
        byte[] bytes = Files.readAllBytes(fixture().image());
        ByteBuffer image = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < bytes.length; at += ImagePage.HEADER + ImagePage.length(image, at)) {
            pages.add((long) at);
        }
        return pages;
    }

    /** Returns the hashes that a repair loses, after comparing the others. */
    private List<Integer> lost() throws Exception {
        fixture().store().close();
        CheckpointRepair repair = CheckpointRepair.of(folder);
        assertThat(repair.isNeeded()).isTrue();
        Path kept = repair.run();
        assertThat(kept).exists();
        assertThat(CheckpointRepair.of(folder).isNeeded()).isFalse();
        try (CheckpointView view = CheckpointView.open(folder)) {
            assertThat(view.damages()).isEmpty();
        }
        fixture().restart();
        TreeSet<Integer> lost = new TreeSet<>();
        for (int n = 0; n < HASHES; n++) {
            if (fixture().find(n, null).isEmpty()) {
                lost.add(n);
                assertThat(repair.damages().toString()).contains(Samples.digest(n).hex());
            } else {
                assertThat(fixture().find(n, null)).isEqualTo(fixture().model().find(Samples.digest(n), null, 0));
                assertThat(Objects.requireNonNull(fixture().index().known(Samples.digest(n), new Lookup())).sides())
                        .isEqualTo(fixture().model().sides(Samples.digest(n)));
            }
        }
        assertThat(repair.lost()).isEqualTo(lost.size());
        assertThat(fixture().index().size()).isEqualTo(HASHES - lost.size());
        return List.copyOf(lost);
    }

    private static List<Integer> hashes(int from, int count) {
        return IntStream.range(0, count).map(i -> from + 2 * i).boxed().toList();
    }

    @Test
    void aSoundStoreNeedsNone() throws Exception {
        fixture().store().close();
        assertThat(CheckpointRepair.of(folder).isNeeded()).isFalse();
    }

    @Test
    void dropsDamagedSlots() throws Exception {
        // The bytes are not those of the digest, so that the damage names the hash.
        flip(SlotTable.PLAIN.file, SlotTable.PLAIN.position(5) + 66);
        flip(SlotTable.SIGNED.file, SlotTable.SIGNED.position(2) + 70);
        flip(SlotTable.SIGNED.file, SlotTable.SIGNED.position(4) + 100);
        assertThat(lost()).containsExactly(2, 6, 9);
    }

    @Test
    void dropsOnlyTheHashesOfADamagedPage() throws Exception {
        SplittableRandom random = new SplittableRandom(20_261_125);
        List<Long> pages = pages();
        assertThat(pages).hasSize(10);
        for (int page = 0; page < pages.size(); page++) {
            long end = page + 1 < pages.size() ? pages.get(page + 1) : Files.size(fixture().image());
            flip(fixture().image().getFileName().toString(), random.nextLong(pages.get(page), end));
            assertThat(lost()).as("page %d", page).isEqualTo(hashes(page < 5 ? 1 + 8 * page : 8 * (page - 5), 4));
            close();
            try (var files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
            fill();
        }
    }

    @Test
    void findsThePageBehindTwoDamagedOnes() throws Exception {
        List<Long> pages = pages();
        String image = fixture().image().getFileName().toString();
        // Length and number: the next page must be searched.
        flip(image, pages.get(4) + 4);
        flip(image, pages.get(5) + 8);
        assertThat(lost()).containsExactly(0, 2, 4, 6, 33, 35, 37, 39);
    }

    @Test
    void savesTheBeginningOfAnImageThatWasCutOff() throws Exception {
        try (RandomAccessFile bytes = new RandomAccessFile(fixture().image().toFile(), "rw")) {
            bytes.setLength(pages().get(8) + 5);
        }
        assertThat(lost()).isEqualTo(hashes(24, 8));
    }

    @Test
    void theLogAddsLaterUpdatesToWhatIsLeft() throws Exception {
        flip(SlotTable.PLAIN.file, SlotTable.PLAIN.position(1) + 66);
        fixture().apply(Samples.write(1, 7, 9, 1_002, null));
        fixture().store().close();
        CheckpointRepair.of(folder).run();
        fixture().restart();
        assertThat(fixture().find(1, null).orElseThrow().flags())
                .containsExactly(new FlagValue(7, 9, 1_002));
    }

    @Test
    void cannotRepairAStoreWithoutAnImage() throws Exception {
        Files.delete(fixture().image());
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> CheckpointRepair.of(folder))
                .withMessageContaining("restore the storage from a backup");
    }
}
