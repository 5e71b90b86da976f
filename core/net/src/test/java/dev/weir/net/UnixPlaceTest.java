package dev.weir.net;

import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

final class UnixPlaceTest {
    @TempDir
    Path folder;

    @Test
    void givesTheFileItsModeAndItsOwner() throws Exception {
        String owner = Files.getOwner(folder).getName();
        String group = Files.readAttributes(folder, PosixFileAttributes.class).group().getName();
        Path path = folder.resolve("s");
        UnixSocketFile file = UnixPlace.parse(path + "  group=" + group + " mode=0666 owner=" + owner)
                .file(PosixFilePermissions.fromString("rw-------"));
        try (ServerSocketChannel channel = file.open()) {
            file.bind(channel, 1);
            PosixFileAttributes read = Files.readAttributes(path, PosixFileAttributes.class);
            assertThat(PosixFilePermissions.toString(read.permissions())).isEqualTo("rw-rw-rw-");
            assertThat(read.owner().getName()).isEqualTo(owner);
            assertThat(read.group().getName()).isEqualTo(group);
        }
        assertThat(UnixPlace.parse("/x").isPlain()).isTrue();
        assertThat(UnixPlace.parse("/x mode=600")).isEqualTo(UnixPlace.parse("/x mode=0600"))
                .isNotEqualTo(UnixPlace.parse("/x"));
    }

    @ParameterizedTest
    @CsvSource({"/x, true", "./x, true", "../x mode=0600, true", "run/c.sock, true", "run/c.sock mode=0600, true",
        "localhost, false", "127.0.0.1:11334, false", "192.0.2.0/24, false", "c.sock, false", "host:1/c.sock, false"})
    void aSlashMakesAPath(String text, boolean isPath) {
        assertThat(UnixPlace.isPath(text)).isEqualTo(isPath);
    }

    @ParameterizedTest
    @CsvSource({"/x owner=no.such.user, this machine has no user", "/x group=no.such.group, this machine has no group",
        "/x mode=0999, is not a valid socket", "/x mod=0600, is not a valid socket", "/x y, is not a valid socket"})
    void namesWhatIsWrong(String text, String reason) {
        assertThatIllegalArgumentException().isThrownBy(() -> UnixPlace.parse(text)).withMessageContaining(reason);
    }
}
