package dev.weir.interop;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import dev.weir.config.Configuration;
import dev.weir.config.ConfigurationLoader;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.ucl.JsonText;
import dev.weir.config.ucl.UclLimits;
import dev.weir.testkit.WeirProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Tests of the configuration tree of Debian's package: {@code rspamadm configdump} and Weir must read it alike. */
final class ConfigurationTreeTest {
    private static final Path INSTALLED = Path.of("/etc/rspamd");

    @TempDir
    Path scratch;

    private Path copyOfInstalledTree() throws IOException {
        Programs.require("rspamadm");
        assumeTrue(Files.isRegularFile(INSTALLED.resolve("rspamd.conf")), "there is no " + INSTALLED);
        Path tree = scratch.resolve("tree");
        Files.walkFileTree(INSTALLED, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                // The local settings of the machine do not matter here.
                if (folder.endsWith("local.d") || folder.endsWith("override.d")) {
                    return FileVisitResult.SKIP_SUBTREE;
                }
                Files.createDirectories(tree.resolve(INSTALLED.relativize(folder)));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.copy(file, tree.resolve(INSTALLED.relativize(file)));
                return FileVisitResult.CONTINUE;
            }
        });
        Files.createDirectories(tree.resolve("local.d"));
        Files.createDirectories(tree.resolve("override.d"));
        return tree;
    }

    private JsonNode dumped(Path tree) throws IOException, InterruptedException {
        String out = Programs.run(scratch, "rspamadm", "--var=CONFDIR=" + tree, "--var=LOCAL_CONFDIR=" + tree,
                "configdump", "-c", tree.resolve("rspamd.conf").toString(), "-j").succeeded().out();
        return JsonMapper.shared().readTree(out.substring(out.indexOf('{')));
    }

    private static Configuration read(Path tree) throws ConfigException {
        return new ConfigurationLoader(new DiskFiles(), "localhost", System.getenv(), Map.of(), UclLimits.DEFAULT)
                .load(tree.toString());
    }

    private static JsonNode json(Configuration configuration) {
        return JsonMapper.shared().readTree(JsonText.compact(configuration.root()));
    }

    private static void assertSame(JsonNode ours, JsonNode theirs, String path) {
        if (theirs.isNumber() && ours.isNumber()) {
            assertThat(ours.doubleValue()).as(path).isEqualTo(theirs.doubleValue());
        } else if (theirs.isObject()) {
            assertThat(ours.propertyNames()).as(path).containsExactlyInAnyOrderElementsOf(theirs.propertyNames());
            theirs.properties().forEach(
                    entry -> assertSame(ours.get(entry.getKey()), entry.getValue(), path + "." + entry.getKey()));
        } else if (theirs.isArray()) {
            assertThat(ours.size()).as(path).isEqualTo(theirs.size());
            for (int i = 0; i < theirs.size(); i++) {
                assertSame(ours.get(i), theirs.get(i), path + "[" + i + "]");
            }
        } else {
            assertThat(ours).as(path).isEqualTo(theirs);
        }
    }

    /** The sections of the dump that differ from the files, because Rspamd fills or changes them. */
    private static final Set<String> CHANGED_BY_RSPAMD = Set.of("options", "metric", "group", "regexp", "surbl",
            "rspamd_update");

    @Test
    void readsTheInstalledTreeAsRspamdDoes() throws Exception {
        Path tree = copyOfInstalledTree();
        Configuration ours = read(tree);
        assertThat(ours.shape()).isEqualTo(Configuration.Shape.RSPAMD_TREE);
        assertThat(ours.warnings()).isEmpty();
        JsonNode theirs = dumped(tree);
        Set<String> sections = new TreeSet<>(theirs.propertyNames());
        sections.removeAll(CHANGED_BY_RSPAMD);
        assertThat(sections).hasSizeGreaterThan(40).contains("worker", "fuzzy_check");
        for (String section : sections) {
            assertSame(json(ours).path(section), theirs.get(section), section);
        }
    }

    @Test
    void readsLocalSettingsAsRspamdDoes() throws Exception {
        Path tree = copyOfInstalledTree();
        Files.writeString(tree.resolve("local.d/worker-fuzzy.inc"), """
                count = 1;
                allow_update = ["10.0.0.0/8", "::1"];
                sync = 30s;
                skip_hashes = "$LOCAL_CONFDIR/local.d/maps.d/skip.map";
                """);
        Files.writeString(tree.resolve("override.d/worker-fuzzy.inc"), """
                backend = "sqlite";
                hash_file = "${DBDIR}/fuzzy.db"; {# a comment #}
                """);
        Files.writeString(tree.resolve("local.d/fuzzy_check.conf"), """
                rule "local" {
                    servers = "localhost:11335";
                    fuzzy_map = { LOCAL { flag = 11; max_score = {= env.NO_SUCH_LIMIT|default("7.5") =}; } }
                }
                rule "rspamd.com" { read_only = no; fuzzy_map { FUZZY_WHITE { flag = 4 } } }
                """);
        Files.writeString(tree.resolve("override.d/fuzzy_check.conf"), "timeout = 3s;\n");
        Configuration ours = read(tree);
        JsonNode theirs = dumped(tree);
        assertSame(json(ours).path("worker"), theirs.get("worker"), "worker");
        assertSame(json(ours).path("fuzzy_check"), theirs.get("fuzzy_check"), "fuzzy_check");
        assertThat(ours.workers("fuzzy")).singleElement()
                .satisfies(worker -> assertThat(worker.items("allow_update")).hasSize(3));
    }

    @Test
    void acceptsTheInstalledTreeUnchanged() throws Exception {
        Path tree = copyOfInstalledTree();
        Programs.Result check = Weir.run(scratch, "config", "check", tree.toString());
        assertThat(check.out()).contains("can be used");
        assertThat(check.exit()).isZero();
        // Only the ports differ, so that the test can run beside a storage.
        Path main = tree.resolve("rspamd.conf");
        Files.writeString(main, Files.readString(main).replace("localhost:11335", "localhost:0"));
        Path data = scratch.resolve("data");
        Process process = new ProcessBuilder(WeirProgram.command(List.of("serve", "-c", tree.toString(), "--data",
                data.toString(), "--http", "127.0.0.1:0"))).redirectError(scratch.resolve("err").toFile()).start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            assertThat(out.readLine())
                    .startsWith("weir: storage ready on 127.0.0.1:").contains("data in " + data);
            process.toHandle().destroy();
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isZero();
        } finally {
            process.destroyForcibly();
        }
        // The report says that Rspamd's hashes are not available here.
        assertThat(Programs.read(scratch.resolve("err"))).contains("weir import redis://HOST");
    }
}
