package dev.weir.testkit;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

class InstalledTest {
    private final @Nullable String before = System.getProperty(Installed.ALLOWED);

    @AfterEach
    void reset() {
        allow(before);
    }

    private static void allow(@Nullable String programs) {
        if (programs == null) {
            System.clearProperty(Installed.ALLOWED);
        } else {
            System.setProperty(Installed.ALLOWED, programs);
        }
    }

    @Test
    void aProgramThatIsThereIsNoReason() {
        allow("");
        Installed.require("sh", "dash");
        Installed.require(Path.of("/bin/sh"), "dash");
    }

    @Test
    void aMissingProgramSkipsTheTest() {
        allow(null);
        assertThatThrownBy(() -> Installed.require("no-such-program", "nothing"))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContaining("no-such-program is not installed (Debian: apt-get install nothing)");
        allow("another,no-such-program");
        assertThatThrownBy(() -> Installed.require(Path.of("/no/such/no-such-program"), "nothing"))
                .isInstanceOf(TestAbortedException.class).hasMessageContaining("/no/such/no-such-program is not");
    }

    @Test
    void aMissingProgramThatIsNotAllowedToBeMissingIsAFailure() {
        for (String allowed : new String[]{"", "another"}) {
            allow(allowed);
            assertThatThrownBy(() -> Installed.require("no-such-program", "nothing"))
                    .isInstanceOf(AssertionError.class).hasMessageContaining("weir.skips.allowed does not name");
        }
    }
}
