package dev.weir.os;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class NativeFolderTest {
    @TempDir
    private @Nullable Path base;

    private Path base() {
        return Objects.requireNonNull(base);
    }

    private Path left(String name, boolean locked, Duration age) throws Exception {
        Path folder = Files.createDirectory(base().resolve(name));
        Files.writeString(folder.resolve("library.so"), "x");
        if (locked) {
            Files.writeString(folder.resolve("lock"), "");
        }
        return Files.setLastModifiedTime(folder, FileTime.from(Instant.now().minus(age)));
    }

    @Test
    void removesOnlyFoldersOfDeadProcesses() throws Exception {
        Duration old = Duration.ofHours(1);
        Path dead = left("weir-native-1", true, old);
        Path halfMade = left("weir-native-2", false, old);
        Path young = left("weir-native-3", false, Duration.ZERO);
        Path alive = left("weir-native-4", true, old);
        Path other = left("sqlite-native-5", true, old);
        Path link = Files.createSymbolicLink(base().resolve("weir-native-6"), other);
        try (FileChannel channel = FileChannel.open(alive.resolve("lock"), StandardOpenOption.WRITE);
                FileLock _ = channel.lock();
                NativeFolder folder = NativeFolder.open(base())) {
            assertThat(dead).doesNotExist();
            assertThat(halfMade).doesNotExist();
            assertThat(young.resolve("library.so")).exists();
            assertThat(alive.resolve("library.so")).exists();
            assertThat(other.resolve("library.so")).exists();
            assertThat(link).isSymbolicLink();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.folder())))
                    .isEqualTo("rwx------");
            Files.writeString(folder.folder().resolve("library.so"), "x");
        }
        try (Stream<Path> files = Files.list(base())) {
            assertThat(files).containsExactlyInAnyOrder(young, alive, other, link);
        }
    }

    @Test
    void rejectsAChosenFolderThatIsNotUsable() throws Exception {
        Path file = Files.writeString(base().resolve("file"), "");
        Map<String, String> environment = Map.of(NativeFolder.VARIABLE, file.resolve("x").toString());
        assertThat(NativeFolder.chosen(environment)).contains(file.resolve("x"));
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> NativeFolder.prepare(environment));
    }

    @Test
    void findsTheMountThatForbidsExecution() {
        List<String> mounts = List.of("1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw",
                "2 1 0:2 / /tmp rw,nosuid,noexec,relatime - tmpfs tmpfs rw", "no mount",
                "3 2 0:3 / /tmp/a\\040b rw shared:1 - tmpfs tmpfs rw", "4 1 0:4 / /srv rw,noexec - tmpfs tmpfs rw",
                "5 4 0:5 / /srv rw - tmpfs tmpfs rw,noexec");
        assertThat(NativeFolder.isWithoutExecution(Path.of("/tmp/x"), mounts)).isTrue();
        assertThat(NativeFolder.isWithoutExecution(Path.of("/tmp"), mounts)).isTrue();
        assertThat(NativeFolder.isWithoutExecution(Path.of("/tmpx"), mounts)).isFalse();
        assertThat(NativeFolder.isWithoutExecution(Path.of("/tmp/a b/c"), mounts)).isFalse();
        assertThat(NativeFolder.isWithoutExecution(Path.of("/var"), mounts)).isFalse();
        // The later mount hides the earlier one.
        assertThat(NativeFolder.isWithoutExecution(Path.of("/srv/x"), mounts)).isFalse();
        assertThat(NativeFolder.isWithoutExecution(Path.of("/x"), List.of())).isFalse();
    }
}
