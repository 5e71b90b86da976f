package dev.weir.storage.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.weir.model.FlagValue;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.StoredHash;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.maintenance.Backup;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.Moves;
import dev.weir.storage.transfer.dump.DumpTarget;
import dev.weir.storage.transfer.mirror.MirrorBuild;
import dev.weir.storage.transfer.sqlite.RspamdFileTarget;
import dev.weir.storage.transfer.storage.StorageTarget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests that only the storage's user can read its files, regardless of the umask. */
class FileModesTest {
    private static final InstantSource CLOCK = InstantSource.system();

    @TempDir
    Path scratch;

    /** Returns the files in a folder that the group or others may access, with their modes. */
    private static Map<String, String> open(Path folder) throws IOException {
        Map<String, String> open = new TreeMap<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.toList()) {
                String mode = PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
                if (!mode.endsWith("------")) {
                    open.put(folder.relativize(file).toString(), mode);
                }
            }
        }
        return open;
    }

    private StorageConfig config(Path data) {
        return StorageConfig.of(data).withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withAllowUpdate(StorageConfig.loopback()).withSync(Duration.ofHours(1));
    }

    private static StoredHash hash(long n) {
        return new StoredHash(Samples.digest(n), List.of(new FlagValue(1, n, CLOCK.millis() / 1000)),
                Samples.signature(n));
    }

    @ParameterizedTest
    @EnumSource(BackendKind.class)
    void onlyTheOwnerCanAccessTheFilesOfAStorage(BackendKind kind) throws Exception {
        Path data = scratch.resolve("made").resolve("data");
        try (StorageServer server = new StorageServer(config(data).withBackend(kind))) {
            TestClient.write(server.start(), "ab".repeat(64), 1, 5);
            server.sync().get();
            assertThat(data.resolve(kind == BackendKind.STORE ? DataFolder.STORE : "fuzzy.db-wal")).exists();
            assertThat(open(scratch.resolve("made"))).isEmpty();
            Path backup = scratch.resolve("backup");
            Backup.make(data, backup, CLOCK);
            assertThat(open(backup)).isEmpty();
        }
        assertThat(data.resolve(DataFolder.CLOCK)).exists();
        assertThat(data.resolve(DataFolder.MIRRORED).toFile().exists()).isEqualTo(kind == BackendKind.SQLITE);
        assertThat(open(data)).isEmpty();
    }

    @Test
    void onlyTheOwnerCanAccessExportsAndImports() throws Exception {
        Path out = Files.createDirectory(scratch.resolve("out"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        List<StoredHash> hashes = List.of(hash(1), hash(2));
        Moves.run(Moves.of(hashes), RspamdFileTarget.create(out.resolve("x.db"), false, CLOCK), Merge.MAX);
        Moves.run(Moves.of(hashes), DumpTarget.create(out.resolve("x.dump"), false, CLOCK, new Random(1)), Merge.MAX);
        Moves.run(Moves.of(hashes), StorageTarget.open(out.resolve("imported"), CLOCK), Merge.MAX);
        MirrorBuild.run(out.resolve("imported"), out.resolve("y.db"), CLOCK, new Moves.Quiet());
        assertThat(open(out)).isEmpty();
    }

    @Test
    void revokesAccessOfOthersToOldFilesAndKeepsThatOfTheGroup() throws Exception {
        Path data = scratch.resolve("data");
        new StorageServer(config(data)).close();
        try (StorageServer server = new StorageServer(config(data))) {
            server.start();
        }
        set(data, "rwxr-xr-x");
        set(data.resolve("updates"), "rwxr-xr-x");
        set(data.resolve("weir.lock"), "rw-r--r--");
        set(data.resolve("fuzzy.db"), "rw-rw-r--");
        try (StorageServer server = new StorageServer(config(data))) {
            server.start();
            assertThat(open(data)).isEqualTo(Map.of("", "rwxr-xr-x", "updates", "rwxr-x---", "weir.lock", "rw-r-----",
                    "fuzzy.db", "rw-rw----", "fuzzy.db-wal", "rw-rw----", "fuzzy.db-shm", "rw-rw----"));
        }
    }

    private static void set(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }
}
