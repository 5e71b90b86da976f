package dev.weir.packages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.weir.cli.Main;
import dev.weir.testkit.Installed;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The tarball, unpacked in a folder that the build did not know, on a machine whose Java it must not use. */
class TarballTest {
    private static final int IDLE_HASHES = 5_000;
    private static final long IDLE_MEBIBYTES = 120;

    @TempDir
    private static Path folder;
    private static Tarball tarball;

    @BeforeAll
    static void unpack() throws Exception {
        tarball = Tarball.unpack(folder);
    }

    private static Commands.Result weir(String options, String... arguments) throws Exception {
        return tarball.weir(options, arguments);
    }

    @Test
    void itRunsWithItsOwnRuntime() throws Exception {
        assertThat(weir("", "--version").succeeded()).startsWith("weir ");
        assertThat(weir("", "demo").succeeded()).doesNotContain("error").contains("/bin/weir learn --html -f 1");
    }

    @Test
    void itHasItsPages() {
        assertThat(tarball.home().resolve("docs/index.md")).hasSameTextualContentAs(Path.of("../docs/index.md"));
        assertThat(tarball.home().resolve("README.md")).exists();
    }

    @Test
    void itHasThePluginForSpamAssassin() throws Exception {
        for (String name : List.of("Weir.pm", "weir.pre", "weir.cf")) {
            assertThat(tarball.home().resolve("spamassassin").resolve(name))
                    .hasSameTextualContentAs(Path.of("spamassassin", name));
        }
    }

    @Test
    void itHasThePluginForRspamd() throws Exception {
        for (String name : List.of("weir.lua", "weir.conf")) {
            assertThat(tarball.home().resolve("rspamd").resolve(name))
                    .hasSameTextualContentAs(Path.of("rspamd", name));
        }
    }

    @Test
    void aCommandLoadsItsClassesFromTheArchive() throws Exception {
        // Nothing listens at the port, and the command says so.
        String loads = weir("-Xlog:class+load:stdout", "ping", "--server", "127.0.0.1:1").output();
        List<String> sources = loads.lines().filter(line -> line.contains("source: ")).toList();
        long archived = sources.stream().filter(line -> line.contains("source: shared objects file")).count();
        assertThat(archived).as("%d classes", sources.size()).isGreaterThan(sources.size() * 9L / 10);
        // What makes a start slow: native calls and XML.
        assertThat(loads).doesNotContain("foreign.abi.BindingSpecializer ").doesNotContain(".xerces.");
        // And large jars, in which the JVM looks for something that is not there.
        assertThat(weir("-Dsun.misc.URLClassPath.debug=true", "ping", "--server", "127.0.0.1:1").output())
                .doesNotContain("bcprov").doesNotContain("icu4j");
    }

    /** The trigrams of the languages take a third of the processor time of a start, and most mails do without. */
    @Test
    void aStartDoesNotReadTheTrigrams() throws Exception {
        Path loads = folder.resolve("loads");
        Path output = folder.resolve("start.out");
        List<String> command = tarball.command("-Xlog:class+load:file=" + loads, "serve", "--data",
                folder.resolve("start").toString(), "--bind", "127.0.0.1:0", "--http", "127.0.0.1:0");
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try (Service _ = Service.await(process, output)) {
            assertThat(Files.readString(loads)).contains("dev.weir.hash.text.LanguageData ")
                    .doesNotContain("dev.weir.hash.text.Trigrams ");
        }
    }

    /** The dependencies of this module must not change the versions. */
    @Test
    void theLibrariesAreThoseOfTheCommand() throws Exception {
        assertThat(jars(tarball.home().resolve("lib"))).isEqualTo(jars(Path.of("../cli/target/app")));
    }

    private static Set<String> jars(Path folder) throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).filter(name -> name.endsWith(".jar"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void anIdleStorageIsSmall() throws Exception {
        Path status = Path.of("/proc/self/status");
        assumeTrue(Files.exists(status), "this system does not tell the memory of a process");
        Path mails = Files.createDirectory(folder.resolve("mails"));
        Random random = new Random(1);
        for (int i = 0; i < IDLE_HASHES; i++) {
            Files.writeString(mails.resolve(i + ".eml"), "Subject: mail " + i + "\n\n" + random.ints(100, 0, 50_000)
                    .mapToObj(word -> Integer.toString(word, 36)).collect(Collectors.joining(" ")) + "\n");
        }
        try (Service service = tarball.serve(folder.resolve("idle"))) {
            weir("", "learn", "--server", service.place(), "-f", "1", "-w", "10", mails.toString()).succeeded();
        }
        try (Service service = tarball.serve(folder.resolve("idle"))) {
            assertThat(weir("", "stat", "--server", service.place()).succeeded())
                    .contains(Integer.toString(IDLE_HASHES));
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
            long resident = resident(service.process());
            // The heap shrinks half a minute after the last work.
            while (resident >= IDLE_MEBIBYTES && System.nanoTime() < end) {
                service.process().waitFor(1, TimeUnit.SECONDS);
                resident = resident(service.process());
            }
            assertThat(resident).isLessThan(IDLE_MEBIBYTES);
        }
    }

    /** Returns the resident memory of a process in MiB. */
    private static long resident(Process process) throws Exception {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10).findFirst().orElseThrow();
    }

    @Test
    void everyCommandHasAManualPageThatManAccepts() throws Exception {
        Installed.require("man", "man-db");
        for (CommandLine command : Main.commands().getSubcommands().values()) {
            Path page = tarball.home().resolve("man/man1/weir-" + command.getCommandName() + ".1");
            assertThat(page).exists();
            assertThat(Files.readString(page)).contains("SYNOPSIS");
            String shown = Commands.run(List.of("man", "--warnings", "--encoding=utf8", "--local-file",
                    page.toString()), Map.of("MANWIDTH", "80", "MANROFFSEQ", "")).succeeded();
            assertThat(shown).doesNotContain("warning").doesNotContain("@|").containsPattern("SYNOPSIS\\s+weir +"
                    + Pattern.quote(command.getCommandName()) + "\\b");
        }
    }

    @Test
    void theCompletionKnowsTheOptions() throws Exception {
        String script = "source '" + tarball.home().resolve("completion/weir") + "'; COMP_WORDS=(weir serve --enc);"
                + " COMP_CWORD=2; _complete_weir 2>/dev/null; echo \"${COMPREPLY[@]}\"";
        assertThat(Commands.run("bash", "-c", script).succeeded().strip()).isEqualTo("--encrypted-only");
    }

    @Test
    void theSbomAndTheNoticeNameEveryLibrary() throws Exception {
        JsonNode sbom = JsonMapper.shared()
                .readTree(Files.readString(tarball.home().resolve("licenses/sbom.cyclonedx.json")));
        List<String> components = sbom.get("components").valueStream()
                .map(part -> part.get("name").asString() + "-" + part.get("version").asString()).toList();
        String notice = Files.readString(tarball.home().resolve("NOTICE"));
        try (Stream<Path> jars = Files.list(tarball.home().resolve("lib"))
                .filter(file -> file.toString().endsWith(".jar"))) {
            for (Path jar : jars.toList()) {
                String name = jar.getFileName().toString().replaceFirst("(-natives-desktop)?\\.jar$", "");
                assertThat(components).contains(name);
                if (!name.startsWith("weir-")) {
                    assertThat(notice).as(name).contains(name.substring(name.lastIndexOf('-') + 1));
                }
            }
        }
    }
}
