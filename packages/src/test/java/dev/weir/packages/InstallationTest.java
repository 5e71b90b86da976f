package dev.weir.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The packages on a real Debian system that has no Java: as tests, and as docs/start/installing.md says. */
class InstallationTest {
    /** A command as the user of the service. */
    private static final List<String> AS_SERVICE = List.of("setpriv", "--reuid=weir", "--regid=weir", "--init-groups");

    /** A mail with enough words for a hash that finds similar ones. */
    static final String MAIL = """
            From: a@example.org
            To: b@example.org
            Subject: gardens

            Every morning the gardener waters the roses, feeds the hens, opens the old wooden gate and walks along the
            river to the market, where fishermen sell trout, farmers sell potatoes, and children listen to a man who
            plays the violin. In the evening the family reads letters, repairs nets, counts coins, cooks soup and talks
            about the coming harvest, while the dog sleeps under the table and the rain falls on the roof of the barn.
            """;

    private static Chroot debian;

    @BeforeAll
    static void makeTheSystem() throws Exception {
        debian = Chroot.debian();
    }

    @AfterAll
    static void removeTheSystem() throws Exception {
        // Null if a program is missing, so that the tests are skipped.
        if (debian != null) {
            debian.close();
        }
    }

    @Test
    void itInstallsUpgradesWithDataAndGoesAway(@TempDir Path folder) throws Exception {
        Path deb = Commands.built("weir_", ".deb");
        // A source checkout says how to get the JDK that this system lacks.
        Files.createDirectories(debian.path("/tmp/checkout/build"));
        for (String name : List.of("weir", "build/requirements")) {
            Files.copy(Path.of("..", name), debian.path("/tmp/checkout/" + name), StandardCopyOption.COPY_ATTRIBUTES);
        }
        Commands.Result checkout = debian.run("/tmp/checkout/weir", "ping");
        assertThat(checkout.status()).isEqualTo(70);
        assertThat(checkout.output().lines().skip(1)).singleElement().asString()
                .matches("  apt-get update && apt-get install -y "
                        + ".*(openjdk-25-jdk-headless.*|&& mkdir -p ~/[.]jdks .*)");

        Path earlier = withVersion(deb, "0.0.1", folder);
        debian.run("dpkg", "-i", debian.offer(earlier)).succeeded();

        // The service's user owns the data, and only it and root read the configuration.
        assertThat(debian.run("stat", "-c", "%U:%G %a", "/var/lib/weir").succeeded()).isEqualTo("weir:weir 700\n");
        assertThat(debian.run("stat", "-c", "%U:%G %a", "/etc/weir/weir.conf").succeeded())
                .isEqualTo("root:weir 640\n");
        debian.run("weir", "config", "check", "/etc/weir/weir.conf").succeeded();
        // SpamAssassin is not installed here. Where it is, the plugin waits for the administrator.
        assertThat(debian.path("/usr/share/perl5/Mail/SpamAssassin/Plugin/Weir.pm")).exists();
        assertThat(Files.readAllLines(debian.path("/etc/spamassassin/weir.pre"))).allMatch(line -> line.isEmpty()
                || line.startsWith("#"));
        Files.writeString(debian.path("/tmp/mail.eml"), MAIL);
        try (Service _ = start()) {
            debian.run("weir", "learn", "-f", "1", "-w", "10", "/tmp/mail.eml").succeeded();
        }
        Files.writeString(debian.path("/etc/weir/weir.conf"), "# changed by the administrator\n",
                StandardOpenOption.APPEND);

        // Where Rspamd is, its plugin is linked to the places where Rspamd looks.
        Path plugin = debian.path("/usr/share/rspamd/plugins/weir.lua");
        assertThat(plugin.getParent()).doesNotExist();
        debian.run("sh", "-c", "mkdir -p /usr/share/rspamd/plugins /etc/rspamd/modules.d && touch /usr/bin/rspamd "
                + "&& chmod 755 /usr/bin/rspamd").succeeded();
        debian.run("dpkg", "-i", "--force-confdef", "--force-confold", debian.offer(deb)).succeeded();
        assertThat(Files.readSymbolicLink(plugin)).hasToString("/usr/share/weir/rspamd/weir.lua");
        assertThat(debian.run("cat", "/etc/rspamd/modules.d/weir.conf").succeeded()).contains("enabled = false;");
        assertThat(debian.run("dpkg-query", "-W", "-f", "${Version} ${Status}", "weir").succeeded())
                .doesNotStartWith("0.0.1").endsWith(" install ok installed");
        assertThat(Files.readString(debian.path("/etc/weir/weir.conf"))).endsWith("by the administrator\n");
        assertThat(debian.run("stat", "-c", "%U:%G %a", "/etc/weir/weir.conf").succeeded())
                .isEqualTo("root:weir 640\n");
        try (Service _ = start("--log-format", "json")) {
            assertThat(Files.readAllLines(debian.path("/tmp/serve.out"))).filteredOn(line -> line.startsWith("{"))
                    .isNotEmpty().allSatisfy(line -> assertThat(JsonMapper.shared().readTree(line)
                            .get("formattedMessage").asString()).isNotEmpty());
            assertThat(debian.run("weir", "check", "/tmp/mail.eml").succeeded()).contains("flag 1");
            asService(unit("ExecReload")).succeeded();
        }

        debian.run("dpkg", "--remove", "weir").succeeded();
        assertThat(Files.isSymbolicLink(plugin)).isFalse();
        debian.run("rm", "-r", "/usr/share/rspamd", "/etc/rspamd", "/usr/bin/rspamd").succeeded();
        assertThat(debian.path("/var/lib/weir/fuzzy.db")).exists();
        assertThat(debian.path("/etc/weir/weir.conf")).exists();
        assertThat(debian.path("/usr/lib/weir")).doesNotExist();
        debian.run("dpkg", "--purge", "weir").succeeded();
        assertThat(debian.path("/var/lib/weir")).doesNotExist();
        assertThat(debian.path("/run/weir")).doesNotExist();
        assertThat(debian.path("/etc/weir")).doesNotExist();
        assertThat(debian.path("/etc/apparmor.d/usr.lib.weir")).doesNotExist();
        assertThat(debian.path("/etc/spamassassin")).doesNotExist();
    }

    /** What docs/start/installing.md says, typed in as it stands there, except for the commands of systemd. */
    @Test
    void theGuideWorksAsWritten() throws Exception {
        debian.run("sh", "-c", "rm -f /tmp/weir_*").succeeded();
        debian.offer(Commands.built("weir_", ".deb"));
        debian.offer(Commands.built("weir-", ".tar.gz"));
        List<String> lines = Guide.commands("Debian and Ubuntu");
        assertThat(type(lines.removeFirst())).contains("Setting up weir");
        try (Service _ = start()) {
            for (String line : lines) {
                if (line.startsWith("systemctl reload weir")) {
                    asService(unit("ExecReload")).succeeded();
                } else if (!line.startsWith("systemctl status") && !line.startsWith("journalctl")) {
                    type(line);
                }
            }
        }
        assertThat(debian.path("/srv/weir-backup")).isNotEmptyDirectory();

        debian.run("apt-get", "purge", "--yes", "weir").succeeded();
        for (String line : Guide.commands("Other systems")) {
            if (line.contains(" serve ")) {
                Process process = debian.start("/tmp/serve.out", "sh", "-c", "cd /tmp; exec " + line);
                try (Service _ = Service.await(process, debian.path("/tmp/serve.out"))) {
                    assertThat(type("weir-*/bin/weir ping")).contains("answered in");
                }
            } else {
                type(line);
            }
        }

        // The service may not write to the folder that root made with the tarball, so an installation says what to do.
        assertThat(type("dpkg -i weir_*.deb")).contains("belongs to root: chown -R weir:weir /var/lib/weir");
        debian.run("dpkg", "--purge", "weir").succeeded();
        assertThat(debian.path("/var/lib/weir")).doesNotExist();
    }

    private static String type(String line) throws Exception {
        return debian.run("sh", "-c", "cd /tmp; " + line).succeeded();
    }

    /** Returns the same package with another version. */
    private static Path withVersion(Path deb, String version, Path folder) throws IOException, InterruptedException {
        Installed.require("dpkg-deb", "dpkg");
        Path content = folder.resolve("content");
        Commands.run("dpkg-deb", "--raw-extract", deb.toString(), content.toString()).succeeded();
        Path control = content.resolve("DEBIAN/control");
        Files.writeString(control, Files.readString(control).replaceFirst("(?m)^Version: .*$", "Version: " + version));
        Path changed = folder.resolve("weir_" + version + ".deb");
        Commands.run("dpkg-deb", "--root-owner-group", "-Znone", "--build", content.toString(), changed.toString())
                .succeeded();
        return changed;
    }

    /** Starts the service as its unit does, without systemd. Options replace that for the log. */
    private static Service start(String... options) throws Exception {
        debian.run("install", "-d", "-o", "weir", "-g", "weir", "/run/weir", "/var/cache/weir").succeeded();
        List<String> command = new ArrayList<>(AS_SERVICE);
        List<String> words = new ArrayList<>(unit("ExecStart"));
        if (options.length > 0) {
            int format = words.indexOf("--log-format");
            words.subList(format, format + 2).clear();
        }
        command.addAll(words);
        command.addAll(List.of(options));
        Process process = debian.start("/tmp/serve.out", command.toArray(String[]::new));
        return Service.await(process, debian.path("/tmp/serve.out"));
    }

    /** Returns the words of a setting in the unit. */
    private static List<String> unit(String setting) throws IOException {
        String text = Files.readString(Path.of("systemd/weir.service")).replace("\\\n", " ");
        return text.lines().filter(line -> line.startsWith(setting + "=")).findFirst()
                .map(line -> List.of(line.substring(setting.length() + 1).split("\\s+", -1))).orElseThrow();
    }

    private static Commands.Result asService(List<String> words) throws Exception {
        List<String> command = new ArrayList<>(AS_SERVICE);
        command.addAll(words);
        return debian.run(command.toArray(String[]::new));
    }
}
