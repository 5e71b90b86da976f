package dev.weir.packages;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The Debian package on a real Debian system, and in the eyes of Debian's own checks. */
class DebianPackageTest {
    private static final String MAIL = """
            From: a@example.org
            To: b@example.org
            Subject: gardens

            Every morning the gardener waters the roses, feeds the hens, opens the old wooden gate and walks along the
            river to the market, where fishermen sell trout, farmers sell potatoes, and children listen to a man who
            plays the violin. In the evening the family reads letters, repairs nets, counts coins, cooks soup and talks
            about the coming harvest, while the dog sleeps under the table and the rain falls on the roof of the barn.
            """;

    @Test
    void itInstallsUpgradesWithDataAndGoesAway(@TempDir Path folder) throws Exception {
        Path deb = Commands.built("weir_", ".deb");
        try (Chroot debian = Chroot.make()) {
            // A source checkout says how to get the JDK that this system lacks.
            Files.copy(Path.of("../weir"), debian.path("/tmp/weir"), StandardCopyOption.COPY_ATTRIBUTES);
            Commands.Result checkout = debian.run("/tmp/weir", "ping");
            assertThat(checkout.status()).isEqualTo(70);
            assertThat(checkout.output().lines().skip(1)).singleElement().asString()
                    .matches("  (sudo apt-get install openjdk-25-jdk-headless|mkdir -p ~/[.]jdks && curl .*)");

            Path earlier = withVersion(deb, "0.0.1", folder);
            debian.run("dpkg", "-i", debian.offer(earlier)).succeeded();

            // The service's user owns the data, and only it and root read the configuration.
            assertThat(debian.run("stat", "-c", "%U:%G %a", "/var/lib/weir").succeeded()).isEqualTo("weir:weir 700\n");
            assertThat(debian.run("stat", "-c", "%U:%G %a", "/etc/weir/weir.conf").succeeded())
                    .isEqualTo("root:weir 640\n");
            debian.run("weir", "config", "check", "/etc/weir/weir.conf").succeeded();
            Files.writeString(debian.path("/tmp/mail.eml"), MAIL);
            try (Service _ = Service.start(debian)) {
                debian.run("weir", "learn", "-f", "1", "-w", "10", "/tmp/mail.eml").succeeded();
            }
            Files.writeString(debian.path("/etc/weir/weir.conf"), "# changed by the administrator\n",
                    StandardOpenOption.APPEND);

            debian.run("dpkg", "-i", "--force-confdef", "--force-confold", debian.offer(deb)).succeeded();
            assertThat(debian.run("dpkg-query", "-W", "-f", "${Version} ${Status}", "weir").succeeded())
                    .doesNotStartWith("0.0.1").endsWith(" install ok installed");
            assertThat(Files.readString(debian.path("/etc/weir/weir.conf"))).endsWith("by the administrator\n");
            assertThat(debian.run("stat", "-c", "%U:%G %a", "/etc/weir/weir.conf").succeeded())
                    .isEqualTo("root:weir 640\n");
            try (Service _ = Service.start(debian, "--log-format", "json")) {
                assertThat(Files.readAllLines(debian.path("/tmp/serve.out"))).filteredOn(line -> line.startsWith("{"))
                        .isNotEmpty().allSatisfy(line -> assertThat(JsonMapper.shared().readTree(line)
                                .get("formattedMessage").asString()).isNotEmpty());
                assertThat(debian.run("weir", "check", "/tmp/mail.eml").succeeded()).contains("flag 1");
                // What systemd calls for a reload.
                debian.run("setpriv", "--reuid=weir", "--regid=weir", "--init-groups", "weir", "control", "-s",
                        "/var/lib/weir/control.sock", "reload").succeeded();
            }

            debian.run("dpkg", "--remove", "weir").succeeded();
            assertThat(debian.path("/var/lib/weir/fuzzy.db")).exists();
            assertThat(debian.path("/etc/weir/weir.conf")).exists();
            assertThat(debian.path("/usr/lib/weir")).doesNotExist();
            debian.run("dpkg", "--purge", "weir").succeeded();
            assertThat(debian.path("/var/lib/weir")).doesNotExist();
            assertThat(debian.path("/etc/weir")).doesNotExist();
            assertThat(debian.path("/etc/apparmor.d/usr.lib.weir")).doesNotExist();
        }
    }

    @Test
    void lintianHasNothingToSay() throws Exception {
        Commands.need("lintian", "lintian");
        assertThat(Commands.run("lintian", "--allow-root", "--fail-on", "error,warning,info", "--display-info",
                Commands.built("weir_", ".deb").toString()).succeeded()).isEmpty();
    }

    @Test
    void theUnitGivesUpWhatItDoesNotNeed() throws Exception {
        Commands.need("systemd-analyze", "systemd");
        // 20 stands for 2.0.
        Commands.run("systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=20",
                Path.of("systemd/weir.service").toAbsolutePath().toString()).succeeded();
    }

    @Test
    void theAppArmorProfileIsValid() throws Exception {
        Commands.need("apparmor_parser", "apparmor");
        Commands.run("apparmor_parser", "--skip-kernel-load", "--skip-cache",
                Path.of("apparmor/usr.lib.weir").toAbsolutePath().toString()).succeeded();
    }

    /** Returns the same package with another version. */
    private static Path withVersion(Path deb, String version, Path folder) throws IOException, InterruptedException {
        Commands.need("dpkg-deb", "dpkg");
        Path content = folder.resolve("content");
        Commands.run("dpkg-deb", "--raw-extract", deb.toString(), content.toString()).succeeded();
        Path control = content.resolve("DEBIAN/control");
        Files.writeString(control, Files.readString(control).replaceFirst("(?m)^Version: .*$", "Version: " + version));
        Path changed = folder.resolve("weir_" + version + ".deb");
        Commands.run("dpkg-deb", "--root-owner-group", "-Znone", "--build", content.toString(), changed.toString())
                .succeeded();
        return changed;
    }

    /** The service as its unit starts it, without systemd. */
    private record Service(Process process) implements AutoCloseable {
        static Service start(Chroot debian, String... options) throws Exception {
            Process process = debian.start("/tmp/serve.out", Stream.concat(Stream.of("setpriv", "--reuid=weir",
                    "--regid=weir", "--init-groups", "weir", "serve", "-c", "/etc/weir/weir.conf"), Stream.of(options))
                    .toArray(String[]::new));
            Service service = new Service(process);
            Instant end = Instant.now().plus(Duration.ofMinutes(2));
            while (!Files.readString(debian.path("/tmp/serve.out")).contains("http ready")) {
                if (!process.isAlive() || Instant.now().isAfter(end)) {
                    service.close();
                    throw new AssertionError(Files.readString(debian.path("/tmp/serve.out")));
                }
                process.waitFor(50, TimeUnit.MILLISECONDS);
            }
            return service;
        }

        @Override
        public void close() throws IOException {
            process.destroy();
            try {
                if (!process.waitFor(1, TimeUnit.MINUTES)) {
                    process.destroyForcibly().waitFor();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while the service was stopping");
            }
        }
    }
}
