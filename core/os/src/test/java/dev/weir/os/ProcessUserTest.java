package dev.weir.os;

import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

final class ProcessUserTest {
    /** A container often runs with a number that its image has no name for. */
    @Test
    void usersAreComparedByTheirNumbers() {
        assertThat(ProcessUser.isTrusted(4321, OptionalInt.of(4321))).isTrue();
        assertThat(ProcessUser.isTrusted(4322, OptionalInt.of(4321))).isFalse();
        assertThat(ProcessUser.isTrusted(0, OptionalInt.of(4321))).as("the administrator").isTrue();
        assertThat(ProcessUser.isTrusted(4321, OptionalInt.of(0))).isFalse();
        assertThat(ProcessUser.isTrusted(4321, OptionalInt.empty())).isFalse();
        assertThat(ProcessUser.isTrusted(-2, OptionalInt.of(-2))).as("above 2^31").isTrue();
    }

    @Test
    void theEffectiveUserCounts() {
        assertThat(ProcessUser.effective(List.of("Name:\tjava", "Umask:\t0022", "Uid:\t1000\t4294967294\t0\t0",
                "Gid:\t1\t2\t3\t4"))).hasValue(-2);
    }

    @Test
    void aFileOfThisProcessIsItsOwn(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "text");
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("none"));
        assertThat(ProcessUser.owns(file)).isTrue();
        assertThat(ProcessUser.owns(link, LinkOption.NOFOLLOW_LINKS)).isTrue();
        assertThat(ProcessUser.effective(List.of())).as("without /proc")
                .hasValue((int) Files.getAttribute(file, "unix:uid"));
    }

    @Test
    void aUserWithoutANameIsCalledByItsNumber() {
        assertThat(ProcessUser.name("?", OptionalInt.of(4321))).isEqualTo("4321");
        assertThat(ProcessUser.name("mail", OptionalInt.of(8))).isEqualTo("mail");
        assertThat(ProcessUser.name("?", OptionalInt.empty())).isEqualTo("?");
    }
}
