package dev.weir.packages;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.weir.cli.Main;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The tarball, unpacked in a folder that the build did not know, on a machine whose Java it must not use. */
class TarballTest {
    @TempDir
    private static Path folder;
    private static Path home;

    @BeforeAll
    static void unpack() throws Exception {
        Commands.run("tar", "-xzf", Commands.built("weir-", ".tar.gz").toString(), "-C", folder.toString()).succeeded();
        try (Stream<Path> folders = Files.list(folder)) {
            home = folders.findFirst().orElseThrow();
        }
    }

    private static Commands.Result weir(String options, String... arguments) throws Exception {
        List<String> command = Stream.concat(Stream.of("env", "-i", "PATH=/usr/bin:/bin", "WEIR_JAVA_OPTS=" + options,
                home.resolve("bin/weir").toString()), Stream.of(arguments)).toList();
        return Commands.run(command, Map.of());
    }

    @Test
    void itRunsWithItsOwnRuntime() throws Exception {
        assertThat(weir("", "--version").succeeded()).startsWith("weir ");
        assertThat(weir("", "demo").succeeded()).doesNotContain("error");
    }

    @Test
    void aCommandLoadsItsClassesFromTheArchive() throws Exception {
        // Nothing listens at the port, and the command says so.
        String loads = weir("-Xlog:class+load:stdout", "ping", "--server", "127.0.0.1:1").output();
        List<String> sources = loads.lines().filter(line -> line.contains("source: ")).toList();
        long archived = sources.stream().filter(line -> line.contains("source: shared objects file")).count();
        assertThat(archived).as("%d classes", sources.size()).isGreaterThan(sources.size() * 9L / 10);
    }

    @Test
    void everyCommandHasAManualPageThatManAccepts() throws Exception {
        Commands.need("man", "man-db");
        for (CommandLine command : Main.commands().getSubcommands().values()) {
            Path page = home.resolve("man/man1/weir-" + command.getCommandName() + ".1");
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
        String script = "source '" + home.resolve("completion/weir") + "'; COMP_WORDS=(weir serve --enc);"
                + " COMP_CWORD=2; _complete_weir 2>/dev/null; echo \"${COMPREPLY[@]}\"";
        assertThat(Commands.run("bash", "-c", script).succeeded().strip()).isEqualTo("--encrypted-only");
    }

    @Test
    void theSbomAndTheNoticeNameEveryLibrary() throws Exception {
        JsonNode sbom = JsonMapper.shared().readTree(Files.readString(home.resolve("licenses/sbom.cyclonedx.json")));
        List<String> components = sbom.get("components").valueStream()
                .map(part -> part.get("name").asString() + "-" + part.get("version").asString()).toList();
        String notice = Files.readString(home.resolve("NOTICE"));
        try (Stream<Path> jars = Files.list(home.resolve("lib")).filter(file -> file.toString().endsWith(".jar"))) {
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
