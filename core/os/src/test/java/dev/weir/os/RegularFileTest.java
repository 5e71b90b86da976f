package dev.weir.os;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
final class RegularFileTest {
    @TempDir
    private Path folder;

    private static void make(String... command) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    @Test
    void opensARegularFile() throws IOException {
        Path file = Files.writeString(folder.resolve("a file ü"), "text");
        for (int i = 0; i < 3000; i++) {
            // A descriptor that stayed open would soon be one too many.
            try (FileChannel channel = i % 2 == 0 ? RegularFile.open(file) : RegularFile.openListed(file)) {
                assertThat(channel.size()).isEqualTo(4);
            }
        }
        assertThatThrownBy(() -> RegularFile.open(folder.resolve("none"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void refusesAPipeWithoutWaiting() throws Exception {
        Path pipe = folder.resolve("pipe");
        make("mkfifo", pipe.toString());
        assertThatThrownBy(() -> RegularFile.open(pipe)).isInstanceOf(RegularFile.RefusedException.class)
                .hasMessageContaining("pipe: it is not a regular file");
        assertThatThrownBy(() -> RegularFile.open(Path.of("/dev/zero")))
                .isInstanceOf(RegularFile.RefusedException.class);
    }

    @Test
    void refusesLinksAndFolders() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "text");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), folder.resolve("loop"));
        for (Path each : new Path[]{link, loop}) {
            assertThatThrownBy(() -> RegularFile.open(each)).isInstanceOf(RegularFile.RefusedException.class)
                    .hasMessageContaining("it is a symbolic link");
        }
        assertThatThrownBy(() -> RegularFile.open(folder)).isInstanceOf(RegularFile.RefusedException.class)
                .hasMessageContaining("it is a folder");
    }

    @Test
    void aNamedFileMayBeBehindOwnLinks() throws Exception {
        Path file = Files.writeString(Files.createDirectories(folder.resolve("a/b")).resolve("file"), "text");
        Files.createSymbolicLink(folder.resolve("inner"), Path.of("a/../a/b"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("inner/./file"));
        try (FileChannel channel = RegularFile.openNamed(link)) {
            assertThat(channel.size()).isEqualTo(Files.size(file));
        }
        assertThatThrownBy(() -> RegularFile.openNamed(folder.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
        assertThatThrownBy(() -> RegularFile.openNamed(loop)).isInstanceOf(FileSystemLoopException.class);
        Path pipe = folder.resolve("pipe");
        make("mkfifo", pipe.toString());
        Path toPipe = Files.createSymbolicLink(folder.resolve("to-pipe"), pipe);
        assertThatThrownBy(() -> RegularFile.openNamed(toPipe)).isInstanceOf(RegularFile.RefusedException.class)
                .hasMessageContaining("it is not a regular file");
    }

    @Test
    void aLinkOfAnotherUserLeadsOnlyToFilesOfThatUser() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root gives files away");
        Path secret = Files.writeString(folder.resolve("secret"), "text");
        Path theirs = Files.writeString(folder.resolve("theirs"), "text");
        make("chown", "1234:1234", theirs.toString());
        Path good = Files.createSymbolicLink(folder.resolve("good"), theirs);
        Path bad = Files.createSymbolicLink(folder.resolve("bad"), secret);
        Path inner = Files.createSymbolicLink(folder.resolve("inner"), folder);
        make("chown", "-h", "1234:1234", good.toString(), bad.toString(), inner.toString());
        RegularFile.openNamed(good).close();
        for (Path refused : List.of(bad, inner.resolve("secret"))) {
            assertThatThrownBy(() -> RegularFile.openNamed(refused)).isInstanceOf(RegularFile.RefusedException.class)
                    .hasMessageContaining("a symbolic link of the user 1234 leads to it, and it belongs to root");
        }
    }

    @Test
    void onlyWhereAnotherUserCanWriteDoesTheOwnerCount() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root gives files away");
        Path inner = Files.createDirectory(folder.resolve("own"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        Path other = Files.writeString(inner.resolve("other"), "text");
        make("chown", "4321:4321", other.toString());
        RegularFile.openListed(other).close();
        make("chmod", "1777", inner.toString());
        assertThatThrownBy(() -> RegularFile.openListed(other)).isInstanceOf(RegularFile.RefusedException.class);
    }

    @Test
    void theOwnerOrTheGroupOfAListedFileFitsItsFolder() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root gives files away");
        Path inner = Files.createDirectory(folder.resolve("new"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
        make("chown", "1234:2345", inner.toString());
        Path own = Files.writeString(inner.resolve("own"), "text");
        make("chown", "1234:1", own.toString());
        Path other = Files.writeString(inner.resolve("other"), "text");
        make("chown", "4321:2345", other.toString());
        RegularFile.openListed(own).close();
        RegularFile.open(other).close();
        assertThatThrownBy(() -> RegularFile.openListed(other)).isInstanceOf(RegularFile.RefusedException.class)
                .hasMessageContaining("it belongs to another user than its folder");
        make("chmod", "775", inner.toString());
        RegularFile.openListed(other).close();
        make("chown", "4321:1", other.toString());
        assertThatThrownBy(() -> RegularFile.openListed(other)).isInstanceOf(RegularFile.RefusedException.class);
    }
}
