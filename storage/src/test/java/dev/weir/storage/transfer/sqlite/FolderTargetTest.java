package dev.weir.storage.transfer.sqlite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.StoredHash;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.sqlite.SqliteBackend;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.Hashes;
import dev.weir.storage.transfer.ListSource;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.Omission;
import dev.weir.storage.transfer.Omissions;
import dev.weir.storage.transfer.TransferReport;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FolderTargetTest {
    private static final InstantSource CLOCK = InstantSource.system();
    private static final String DB = "fuzzy.db";

    @TempDir
    private @Nullable Path given;

    private Path data = Path.of("");

    @BeforeEach
    void place() {
        data = Objects.requireNonNull(given).resolve("data");
    }

    private static StoredHash hash(long n, long value) {
        return new StoredHash(Samples.digest(n), List.of(new FlagValue(1, value, 1_000)), Samples.signature(n));
    }

    private static ListSource source(int count, long value) {
        return new ListSource(count, 77 * 31 + value, n -> hash(n, value));
    }

    /** A source that fails after a number of hashes, which for the database is like a kill. */
    private record Failing(HashSource below, long after) implements HashSource {
        @Override
        public String name() {
            return below.name();
        }

        @Override
        public long remaining(long position) throws StorageException {
            return below.remaining(position);
        }

        @Override
        public long fingerprint() throws StorageException {
            return below.fingerprint();
        }

        @Override
        public void read(long position, Sink sink, Omissions omissions) throws StorageException {
            below.read(position, (at, hash) -> {
                if (at > after) {
                    throw new StorageException("pulled the plug");
                }
                sink.accept(at, hash);
            }, omissions);
        }

        @Override
        public void close() throws StorageException {
            below.close();
        }
    }

    @Test
    void omitsAndCountsFlagsThatAStorageDoesNotKeep() throws StorageException {
        List<FlagValue> flags = IntStream.range(0, 700).mapToObj(flag -> new FlagValue(flag, 1, 1_000)).toList();
        StoredHash hash = new StoredHash(Samples.digest(1), flags, null);
        TransferReport report = Moves.run(new ListSource(1, 5, _ -> hash), target(), Merge.MAX);
        assertThat(report.omitted()).isEqualTo(Map.of(Omission.TOO_MANY_FLAGS, 700L - 256 - StoredHash.MAX_ODD_FLAGS));
        assertThat(content()).containsExactly(hash.bounded());

        // Others come to those that are there: the lowest are kept.
        StoredHash other = new StoredHash(Samples.digest(1), List.of(new FlagValue(-1, 1, 1_000)), null);
        assertThat(Moves.run(new ListSource(1, 6, _ -> other), target(), Merge.MAX).omitted())
                .isEqualTo(Map.of(Omission.TOO_MANY_FLAGS, 1L));
        assertThat(content().getFirst().flags()).hasSize(256 + StoredHash.MAX_ODD_FLAGS)
                .contains(new FlagValue(-1, 1, 1_000)).doesNotContain(new FlagValue(511, 1, 1_000));
    }

    private FolderTarget target() throws StorageException {
        return FolderTarget.open(data, CLOCK);
    }

    private List<StoredHash> content() throws StorageException {
        return Moves.all(SqliteSource.open(data.resolve(DB)), new Omissions());
    }

    private void interrupt(ListSource source, long after, Merge merge) {
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Moves.run(new Failing(source, after), target(), merge))
                .withMessage("pulled the plug");
    }

    @Test
    void anInterruptedAddAddsNothingTwice() throws Exception {
        Moves.run(source(60, 1), target(), Merge.MAX);
        interrupt(source(50, 10), 33, Merge.ADD);
        assertThat(content().subList(0, 60)).extracting(hash -> hash.flags().getFirst().value())
                .contains(11L, 1L);
        TransferReport rest = Moves.run(source(50, 10), target(), Merge.ADD);
        assertThat(rest.resumed()).isTrue();
        assertThat(rest.read()).isLessThan(50);
        List<StoredHash> content = content();
        assertThat(content).hasSize(60);
        assertThat(content.subList(0, 50)).allMatch(hash -> hash.flags().getFirst().value() == 11);
        assertThat(content.subList(50, 60)).allMatch(hash -> hash.flags().getFirst().value() == 1);

        TransferReport again = Moves.run(source(50, 10), target(), Merge.ADD);
        assertThat(again.doneBefore()).isTrue();
        assertThat(content()).isEqualTo(content);

        Moves.run(source(50, 10), target(), Merge.ADD, Expiry.NONE, true);
        assertThat(content().getFirst().flags().getFirst().value()).isEqualTo(21);
    }

    @Test
    void anotherAddKeepsTheProgressOfAnInterruptedOne() throws Exception {
        interrupt(source(50, 10), 33, Merge.ADD);
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> Moves.run(source(50, 11), target(), Merge.ADD))
                .withMessageContaining("--restart");
        Moves.run(source(50, 11), target(), Merge.ADD, Expiry.NONE, true);
        assertThat(content()).hasSize(50);
    }

    @Test
    void aStorageOpensTheRemainsOfAnInterruptedImport() throws Exception {
        interrupt(source(50, 10), 33, Merge.MAX);
        try (Backend backend = SqliteBackend.open(data.resolve(DB))) {
            assertThat(backend.count()).isBetween(21L, 33L);
        }
        OldFile.execute(data.resolve(DB), "DROP INDEX s", "CREATE UNIQUE INDEX s ON shingles(value, number)");
        Moves.run(source(50, 10), target(), Merge.MAX);
        assertThat(content()).hasSize(50).isEqualTo(Moves.all(source(50, 10), new Omissions()));
    }

    @Test
    void maxIsIdempotent() throws Exception {
        assertThat(Moves.run(source(30, 5), target(), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(30, 0, 0));
        List<StoredHash> first = content();
        assertThat(Moves.run(source(30, 5), target(), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(0, 0, 30));
        assertThat(content()).isEqualTo(first);
        assertThat(Moves.run(source(40, 4), target(), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(10, 0, 30));
        assertThat(Moves.run(source(30, 6), target(), Merge.KEEP).written())
                .isEqualTo(new HashTarget.Written(0, 0, 30));
    }

    @Test
    void theLatestOwnerKeepsASharedShingle() throws Exception {
        Signature shared = Samples.signature(1);
        List<StoredHash> hashes = new ArrayList<>();
        for (int n = 1; n <= 20; n++) {
            hashes.add(new StoredHash(Samples.digest(n), List.of(new FlagValue(1, n, 1_000)), shared));
        }
        Moves.run(Moves.of(hashes), target(), Merge.MAX);
        assertThat(content()).as("whole signatures").isEqualTo(hashes);
        OldFile.execute(data.resolve(DB), "DROP TABLE weir_signatures");
        List<StoredHash> rspamds = content();
        assertThat(rspamds.getLast().signature()).isEqualTo(shared);
        assertThat(rspamds.subList(0, 19)).allMatch(hash -> hash.signature() == null);
    }

    @Provide
    Arbitrary<List<StoredHash>> hashes() {
        return Hashes.any().map(hash -> new StoredHash(hash.digest(), hash.flags(),
                hash.signature() == null || hash.signature().mask() == 0 ? null : hash.signature(), hash.renewed()))
                .list()
                .ofMaxSize(30)
                .map(Hashes::distinct);
    }

    @Property(tries = 25, seed = "1401")
    void decodesToTheSameHash(@ForAll("hashes") List<StoredHash> hashes, @ForAll("hashes") List<StoredHash> more)
            throws Exception {
        Path folder = Files.createTempDirectory("weir-transfer");
        try {
            Moves.run(Moves.of(hashes), FolderTarget.open(folder, CLOCK), Merge.MAX);
            assertThat(Moves.all(SqliteSource.open(folder.resolve(DB)), new Omissions())).isEqualTo(hashes);
            Moves.run(Moves.of(more), FolderTarget.open(folder, CLOCK), Merge.ADD);
            Map<dev.weir.model.Digest, StoredHash> expected = new java.util.LinkedHashMap<>();
            hashes.forEach(hash -> expected.put(hash.digest(), hash));
            more.forEach(hash -> expected.merge(hash.digest(), hash, Merge.ADD::merge));
            assertThat(Moves.all(SqliteSource.open(folder.resolve(DB)), new Omissions()))
                    .containsExactlyElementsOf(expected.values());
        } finally {
            try (var files = Files.list(folder)) {
                for (Path path : files.toList()) {
                    Files.delete(path);
                }
            }
            Files.delete(folder);
        }
    }

    @Test
    void aRunningStorageLocksTheFolder() throws Exception {
        try (DataFolder running = DataFolder.open(data)) {
            assertThat(running.file(DB)).isEqualTo(data.resolve(DB));
            assertThatExceptionOfType(StorageException.class).isThrownBy(this::target)
                    .withMessageContaining("another weir is using");
        }
    }

    @Test
    void aDryRunCountsAndWritesNothing() throws Exception {
        assertThat(Moves.run(source(20, 5), DryRunTarget.open(data.resolve(DB)), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(20, 0, 0));
        assertThat(data).doesNotExist();
        Moves.run(source(20, 5), target(), Merge.MAX);
        List<StoredHash> before = content();
        assertThat(Moves.run(source(30, 6), DryRunTarget.open(data.resolve(DB)), Merge.MAX).written())
                .isEqualTo(new HashTarget.Written(10, 20, 0));
        assertThat(content()).isEqualTo(before);
    }

    @Test
    void leavesOutOldHashes() throws Exception {
        List<StoredHash> hashes = List.of(
                new StoredHash(Samples.digest(1), List.of(new FlagValue(1, 9, 100), new FlagValue(2, 5, 300)), null),
                new StoredHash(Samples.digest(2), List.of(new FlagValue(1, 9, 100)), null),
                new StoredHash(Samples.digest(3), List.of(new FlagValue(1, 9, 200)), null));
        TransferReport report = Moves.run(Moves.of(hashes), target(), Merge.MAX, new Expiry(200), false);
        assertThat(content()).containsExactly(
                new StoredHash(Samples.digest(1), List.of(new FlagValue(2, 5, 300)), null), hashes.get(2));
        assertThat(report.omitted()).isEqualTo(Map.of(Omission.EXPIRED, 1L, Omission.EXPIRED_FLAG, 1L));
        assertThat(report.read()).isEqualTo(3);
    }
}
