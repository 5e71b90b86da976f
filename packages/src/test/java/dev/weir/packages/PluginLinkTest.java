package dev.weir.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Where the package puts the plugin for Rspamd: only where Rspamd is installed, and never over other files. */
class PluginLinkTest {
    private static final Path SCRIPT = Path.of("rspamd/link").toAbsolutePath();

    @TempDir
    Path root;

    private Path plugin;
    private Path configuration;

    @BeforeEach
    void places() {
        plugin = root.resolve("usr/share/rspamd/plugins/weir.lua");
        configuration = root.resolve("etc/rspamd/modules.d/weir.conf");
    }

    private void installRspamd() throws IOException {
        Files.createDirectories(plugin.getParent());
        Files.createDirectories(configuration.getParent());
        Path program = Files.createDirectories(root.resolve("usr/bin")).resolve("rspamd");
        assertThat(Files.createFile(program).toFile().setExecutable(true)).isTrue();
    }

    private void link(String action) throws Exception {
        Commands.run("sh", SCRIPT.toString(), action, root.toString()).succeeded();
    }

    @Test
    void nothingWithoutRspamd() throws Exception {
        link("update");
        assertThat(root).isEmptyDirectory();
        link("remove");
        assertThat(root).isEmptyDirectory();
    }

    @Test
    void bothFilesWithRspamd() throws Exception {
        installRspamd();
        link("update");
        link("update");
        assertThat(Files.readSymbolicLink(plugin)).hasToString("/usr/share/weir/rspamd/weir.lua");
        assertThat(Files.readSymbolicLink(configuration)).hasToString("/usr/share/weir/rspamd/weir.conf");
        link("remove");
        assertThat(plugin).doesNotExist();
        assertThat(Files.isSymbolicLink(plugin)).isFalse();
        assertThat(Files.isSymbolicLink(configuration)).isFalse();
    }

    @Test
    void noDanglingLinkWhenRspamdGoes() throws Exception {
        installRspamd();
        link("update");
        Files.delete(root.resolve("usr/bin/rspamd"));
        link("update");
        assertThat(Files.isSymbolicLink(plugin)).isFalse();
        assertThat(Files.isSymbolicLink(configuration)).isFalse();
    }

    @Test
    void aFileOfTheAdministratorStays() throws Exception {
        installRspamd();
        Files.writeString(plugin, "-- mine");
        link("update");
        link("remove");
        assertThat(Files.readString(plugin)).isEqualTo("-- mine");
    }
}
