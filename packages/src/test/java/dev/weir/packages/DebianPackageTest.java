package dev.weir.packages;

import java.nio.file.Path;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The Debian package in the eyes of the checks of Debian, systemd and AppArmor. */
class DebianPackageTest {
    @Test
    void lintianHasNothingToSay() throws Exception {
        Installed.require("lintian", "lintian");
        assertThat(Commands.run("lintian", "--allow-root", "--fail-on", "error,warning,info", "--display-info",
                Commands.built("weir_", ".deb").toString()).succeeded()).isEmpty();
    }

    @Test
    void theUnitGivesUpWhatItDoesNotNeed() throws Exception {
        Installed.require("systemd-analyze", "systemd");
        // 20 stands for 2.0.
        Commands.run("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20",
                Path.of("systemd/weir.service").toAbsolutePath().toString()).succeeded();
    }

    @Test
    void theAppArmorProfileIsValid() throws Exception {
        Installed.require("apparmor_parser", "apparmor");
        Commands.run("apparmor_parser", "--skip-kernel-load", "--skip-cache",
                Path.of("apparmor/usr.lib.weir").toAbsolutePath().toString()).succeeded();
    }
}
