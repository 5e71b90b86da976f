package dev.weir.packages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.Installed;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A release signed with a key of this test: its checksums, and a fresh Debian system whose apt installs from it. */
class ReleaseTest {
    private static final String KEY = "release-test@weir.invalid";
    private static final int PORT = 18_080;

    @TempDir
    private static Path folder;

    private static Path release;
    private static Chroot debian;

    @BeforeAll
    static void signTheRelease() throws Exception {
        Installed.require("gpg", "gpg");
        Installed.require("apt-ftparchive", "apt-utils");
        debian = Chroot.debian();
        release = folder.resolve("release");
        Path keys = Files.createDirectory(folder.resolve("keys"));
        Commands.run("chmod", "700", keys.toString()).succeeded();
        Map<String, String> environment = Map.of("GNUPGHOME", keys.toString());
        Commands.run(List.of("gpg", "--batch", "--passphrase", "", "--quick-gen-key", KEY, "ed25519", "sign", "1d"),
                environment).succeeded();
        Commands.run(List.of("../build/release", KEY, release.toString(), Commands.TARGET.toString()), environment)
                .succeeded();
        Commands.run(List.of("gpg", "--batch", "--verify", release.resolve("SHA256SUMS.asc").toString(),
                release.resolve("SHA256SUMS").toString()), environment).succeeded();
        Commands.run(List.of("gpgconf", "--kill", "all"), environment);
    }

    @AfterAll
    static void removeTheSystem() throws Exception {
        // Null if a program is missing, so that the tests are skipped.
        if (debian != null) {
            debian.close();
        }
    }

    @Test
    void theChecksumsAreThoseOfAllFiles() throws Exception {
        Commands.run("sh", "-c", "cd '" + release + "' && sha256sum --strict -c SHA256SUMS").succeeded();
        assertThat(Files.readAllLines(release.resolve("SHA256SUMS"))).hasSize(4)
                .allMatch(line -> line.matches("[0-9a-f]{64}  weir[-_].*\\.(deb|tar\\.gz|tar|json)"));
    }

    @Test
    void aptInstallsFromAFolderAndOverHttp() throws Exception {
        Path apt = debian.path("/srv/apt");
        Commands.run("cp", "-r", release.resolve("apt").toString(), apt.toString()).succeeded();
        install("file:/srv/apt");
        Process server = server();
        try {
            install("http://127.0.0.1:" + PORT);
        } finally {
            server.destroy();
            server.waitFor();
        }

        // One letter of the signed lists changes.
        Path lists = apt.resolve("dists/stable/InRelease");
        Files.writeString(lists, Files.readString(lists).replace("Origin: Weir", "Origin: Veir"));
        Files.delete(apt.resolve("dists/stable/Release.gpg"));
        source("file:/srv/apt");
        Commands.Result changed = apt("update");
        assertThat(changed.status()).as(changed.output()).isNotZero();
        assertThat(changed.output()).containsAnyOf("BADSIG", "is not signed");
    }

    private static void source(String place) throws Exception {
        Files.createDirectories(debian.path("/etc/apt/keyrings"));
        Path apt = release.resolve("apt");
        Commands.run("cp", apt.resolve("weir.asc").toString(), debian.path("/etc/apt/keyrings").toString())
                .succeeded();
        Files.writeString(debian.path("/etc/apt/weir.sources"), Files.readString(apt.resolve("weir.sources"))
                .replaceFirst("(?m)^URIs: .*$", "URIs: " + place));
    }

    private static void install(String place) throws Exception {
        source(place);
        apt("update").succeeded();
        assertThat(apt("install", "-y", "--no-install-recommends", "weir").succeeded()).contains("Setting up weir");
        assertThat(debian.run("weir", "--version").succeeded()).startsWith("weir ");
        apt("purge", "-y", "weir").succeeded();
        assertThat(debian.path("/usr/lib/weir")).doesNotExist();
    }

    /** Runs apt with the release as its only source: the system of the test has no route to another one. */
    private static Commands.Result apt(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("apt-get", "-o",
                "Dir::Etc::SourceList=/etc/apt/weir.sources", "-o", "Dir::Etc::SourceParts=-"));
        command.addAll(List.of(arguments));
        return debian.run(command.toArray(String[]::new));
    }

    /** Starts the web server of the JDK in the network of the system, and waits until it answers. */
    private static Process server() throws Exception {
        Path output = folder.resolve("server.out");
        Process server = debian.namespace().start(List.of(System.getProperty("java.home") + "/bin/jwebserver", "-b",
                "127.0.0.1", "-p", Integer.toString(PORT), "-d", debian.path("/srv/apt").toString()), Map.of(),
                output);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.readString(output).contains("Serving")) {
            assertThat(server.isAlive() && System.nanoTime() < end).as(Files.readString(output)).isTrue();
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return server;
    }
}
