package dev.weir.net;

import java.io.IOException;
import java.net.BindException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A Unix-domain socket has its mode from the beginning, replaces a stale file, and leaves other files alone. */
class UnixSocketFileTest {
    private static final Set<PosixFilePermission> OWNER = PosixFilePermissions.fromString("rw-------");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private Path path() {
        return folder.resolve("socket");
    }

    private static ServerSocketChannel bind(UnixSocketFile file) throws IOException {
        ServerSocketChannel channel = file.open();
        try {
            file.bind(channel, 8);
            return channel;
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Test
    void noOtherUserCanReachTheSocketBeforeItHasItsMode() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        Queue<String> wide = new ConcurrentLinkedQueue<>();
        Thread watcher = Thread.ofPlatform().start(() -> {
            while (!done.get()) {
                watch(wide);
            }
        });
        try {
            for (int i = 0; i < 500; i++) {
                UnixSocketFile file = new UnixSocketFile(path(), OWNER);
                bind(file).close();
                file.delete();
            }
        } finally {
            done.set(true);
            watcher.join();
        }
        assertThat(wide).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }

    private void watch(Queue<String> wide) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
                if (!Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE,
                        PosixFilePermission.OWNER_EXECUTE).containsAll(mode)) {
                    wide.add(file + " " + PosixFilePermissions.toString(mode));
                }
            }
        } catch (NoSuchFileException e) {
            // The file was removed after the listing.
        } catch (IOException e) {
            wide.add(e.toString());
        }
    }

    @Test
    void replacesAStaleSocketButNotALiveOne() throws Exception {
        bind(new UnixSocketFile(path(), OWNER)).close();
        try (ServerSocketChannel channel = bind(new UnixSocketFile(path(), OWNER))) {
            assertThat(channel.isOpen()).isTrue();
            assertThatExceptionOfType(BindException.class).isThrownBy(() -> bind(new UnixSocketFile(path(), OWNER)))
                    .withMessageContaining("another process listens there");
        }
    }

    @Test
    void keepsOtherFiles() throws Exception {
        Files.writeString(path(), "kept");
        assertThatExceptionOfType(BindException.class).isThrownBy(() -> bind(new UnixSocketFile(path(), OWNER)))
                .withMessageContaining("is not a socket");
        assertThat(path()).hasContent("kept");
        assertThat(folder).isDirectoryContaining(file -> file.equals(path()));
    }
}
