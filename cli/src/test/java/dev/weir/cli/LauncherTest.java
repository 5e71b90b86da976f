package dev.weir.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code ./weir} before there is a Weir: what it says if something is missing, or if the build fails. */
class LauncherTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @TempDir
    Path temp;

    private Path programs;

    @BeforeEach
    void makeSystem() throws IOException {
        programs = Files.createDirectory(temp.resolve("bin"));
        for (String name : List.of("bash", "sh", "env", "grep", "sed", "head", "cut", "tr", "tail", "dirname",
                "readlink", "find", "mkdir", "touch", "tee", "cat", "basename", "mktemp", "rm", "mv", "tar", "gzip",
                "uname", "sha256sum", "shasum", "flock")) {
            for (String folder : List.of("/usr/bin", "/bin")) {
                Path program = Path.of(folder, name);
                if (Files.exists(program) && !Files.exists(programs.resolve(name))) {
                    Files.createSymbolicLink(programs.resolve(name), program);
                }
            }
        }
    }

    /** JUnit warns of each link that it removes. */
    @AfterEach
    void removePrograms() throws IOException {
        try (var links = Files.list(programs)) {
            for (Path link : links.toList()) {
                Files.delete(link);
            }
        }
    }

    private void program(String name, String script) throws IOException {
        Path file = programs.resolve(name);
        Files.writeString(file, "#!/usr/bin/env bash\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private record Result(int status, String output) {}

    /** Runs a program with the programs of this test alone. */
    private Result run(String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(temp, "output", "");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile());
        builder.environment().clear();
        builder.environment().put("PATH", programs.toString());
        builder.environment().put("HOME", temp.toString());
        builder.environment().put("JAVA_HOME", jdk().toString());
        Process process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(process.exitValue(), Files.readString(output));
    }

    /** Calls functions of build/requirements on a system without a JDK 25. */
    private Result withoutJdk(String calls) throws IOException, InterruptedException {
        return run("bash", "-c", ". '" + ROOT + "/build/requirements'; find_jdk25() { return 1; }; " + calls);
    }

    /** A folder that looks like a JDK 25. */
    private Path jdk() throws IOException {
        Path jdk = Files.createDirectories(temp.resolve("jdk"));
        Files.createDirectories(jdk.resolve("bin"));
        Files.writeString(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        for (String name : List.of("java", "javac")) {
            Path file = jdk.resolve("bin").resolve(name);
            Files.writeString(file, "#!/bin/sh\n");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        return jdk;
    }

    @ParameterizedTest
    @CsvFileSource(resources = "build-failures.txt", delimiter = '|', quoteCharacter = '`')
    void namesTheCauseOfAFailedBuild(String line, String cause) throws Exception {
        Path log = Files.writeString(temp.resolve("build.log"),
                "[INFO] Scanning for projects...\n[ERROR] [ERROR] Some problems\n[ERROR] " + line + "\n");
        Result said = run(ROOT + "/build/build-failure", log.toString(), "1");
        assertThat(said.status()).isZero();
        assertThat(said.output()).startsWith(cause).hasLineCount(1);
    }

    @Test
    void mavenThatWasKilledRanOutOfMemory() throws Exception {
        Path log = Files.writeString(temp.resolve("build.log"), "[INFO] Scanning for projects...\n");
        assertThat(run(ROOT + "/build/build-failure", log.toString(), "137").output()).startsWith("memory ran out");
        assertThat(run(ROOT + "/build/build-failure", log.toString(), "3").output())
                .isEqualTo("Maven ended with status 3\n");
    }

    @Test
    void aFailedBuildEndsInOneLine() throws Exception {
        Path checkout = Files.createDirectories(temp.resolve("checkout/build"));
        for (String name : List.of("requirements", "build-failure", "setup")) {
            Files.copy(ROOT.resolve("build").resolve(name), checkout.resolve(name));
        }
        Path launcher = Files.copy(ROOT.resolve("weir"), checkout.resolveSibling("weir"));
        program("mvn", "echo '[ERROR] Could not transfer artifact a:b:pom:1 from/to central (https://repo.example/m):"
                + " Unknown host repo.example'; exit 1");
        Result said = run(launcher.toString(), "demo");
        assertThat(said.status()).isEqualTo(70);
        assertThat(said.output().lines()).hasSize(2)
                .last().asString().startsWith("weir: the build failed: repo.example cannot be reached.")
                .endsWith("target/build.log");
    }

    @Test
    void namesAllThatIsMissingInOneCommand() throws Exception {
        program("apt-get", "");
        program("apt-cache", "[ \"$2\" = maven ] && echo 'Package: maven'");
        program("id", "echo 0");
        Result said = withoutJdk("say_missing $(missing_requirements)");
        assertThat(said.output()).contains("a JDK 25", "Maven 3.8", "./weir setup",
                "\n  apt-get update && apt-get install -y --no-install-recommends maven curl ca-certificates"
                        + " && mkdir -p ~/.jdks && curl -fsSL https://");
        program("apt-cache", "echo Package: any");
        assertThat(withoutJdk("by_hand jdk maven").output())
                .isEqualTo("apt-get update && apt-get install -y --no-install-recommends "
                        + "openjdk-25-jdk-headless maven\n");
        program("id", "echo 1000");
        assertThat(withoutJdk("by_hand maven").output()).startsWith("su -c 'apt-get update");
        program("sudo", "");
        assertThat(withoutJdk("by_hand maven").output()).startsWith("sudo sh -c 'apt-get update");
    }

    @Test
    void mavenSaysWhatTheLauncherSays() throws Exception {
        program("mvn", "");
        assertThat(run(ROOT + "/build/requirements").status()).isZero();
        Files.delete(programs.resolve("mvn"));
        Result said = run(ROOT + "/build/requirements");
        assertThat(said.status()).isEqualTo(70);
        assertThat(said.output()).startsWith("weir: the build needs Maven 3.8 or newer.");
        assertThat(Files.readString(ROOT.resolve("pom.xml")))
                .contains("\"${maven.multiModuleProjectDirectory}/build/requirements\"");
    }

    /** After mvn verify, there are test classes, which Surefire runs although maven.test.skip is set. */
    @Test
    void whatTheLauncherBuildsRunsNoTests() throws Exception {
        assertThat(Files.readString(ROOT.resolve("weir"))).contains("-Dquick");
        String pom = Files.readString(ROOT.resolve("pom.xml"));
        int quick = pom.indexOf("<id>quick</id>");
        assertThat(pom.substring(quick, pom.indexOf("</profile>", quick)))
                .contains("<maven.test.skip>true</maven.test.skip>", "<skipTests>true</skipTests>");
    }

    /** Setup on a system without a JDK 25, where Adoptium is a program that answers from a folder. */
    private Result setup(Path archive, String checksum, String answers) throws IOException, InterruptedException {
        program("mvn", "");
        program("id", "echo 1000");
        program("curl", """
                case "$*" in
                    *-o*) cat '%s' >"${@: -2:1}" ;;
                    *) printf '[{"binary": {"package": {"checksum": "%s", "link": "https://jdk.example/25"}}}]' ;;
                esac""".formatted(archive, checksum));
        // Only what setup itself unpacks counts.
        String setup = Files.readString(ROOT.resolve("build/setup")).replace(". \"$home/build/requirements\"",
                ". '" + ROOT + "/build/requirements'\nfind_jdk25() { ls -d \"$HOME\"/.jdks/jdk-25 2>/dev/null; }");
        Path script = Files.writeString(temp.resolve("setup"), setup);
        Files.deleteIfExists(programs.resolve("ls"));
        Files.createSymbolicLink(programs.resolve("ls"), Path.of("/bin/ls"));
        return run("bash", "-c", answers + " | bash '" + script + "'");
    }

    @Test
    void setupShowsHowMuchPackagesDownload() throws Exception {
        program("apt-get",
                "case \"$*\" in *--assume-no*' maven'*) echo 'Need to get 1 kB/65.8 MB of archives.' ;; esac");
        program("apt-cache", "echo Package: any");
        program("id", "echo 1000");
        Result asked = run("bash", "-c", "echo n | '" + ROOT + "/build/setup'");
        assertThat(asked.output())
                .contains("install -y --no-install-recommends maven'\n  (1 kB/65.8 MB to download)\n");
        assertThat(asked.status()).isEqualTo(1);
    }

    @Test
    void setupAsksAndComparesTheChecksum() throws Exception {
        Path source = Files.createDirectories(temp.resolve("source"));
        Files.move(jdk(), source.resolve("jdk-25"));
        Path archive = temp.resolve("jdk.tar.gz");
        assertThat(run("tar", "-czf", archive.toString(), "-C", source.toString(), "jdk-25").status()).isZero();
        String checksum = run("sha256sum", archive.toString()).output().substring(0, 64);
        Path installed = temp.resolve(".jdks/jdk-25/bin/javac");

        Result end = setup(archive, checksum, "printf ''");
        assertThat(end.status()).isEqualTo(1);
        assertThat(end.output()).contains("[y/N] \nweir setup: nothing was changed");
        Result no = setup(archive, checksum, "echo n");
        assertThat(no.status()).isEqualTo(1);
        assertThat(no.output()).contains("JDK 25 (about 140 MB) from https://api.adoptium.net into",
                "nothing was changed");
        assertThat(installed).doesNotExist();

        Result wrong = setup(archive, "0".repeat(64), "echo y");
        assertThat(wrong.status()).isEqualTo(70);
        assertThat(wrong.output()).contains("does not have the SHA-256 checksum");
        assertThat(installed).doesNotExist();
        try (var left = Files.list(temp.resolve(".jdks"))) {
            assertThat(left).isEmpty();
        }

        Result yes = setup(archive, checksum, "echo Yes");
        assertThat(yes.output()).endsWith("Ready. Next: ./weir demo\n");
        assertThat(yes.status()).isZero();
        assertThat(installed).isExecutable();
    }
}
