package dev.weir.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.weir.config.option.Problems;
import dev.weir.config.source.ConfigException;
import dev.weir.config.source.DiskFiles;
import dev.weir.config.source.Origin;
import dev.weir.config.source.Problem;
import dev.weir.config.ucl.JsonText;
import dev.weir.config.ucl.UclLimits;
import dev.weir.config.ucl.UclObject;
import dev.weir.config.ucl.UclText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class ConfigurationLoaderTest {
    @TempDir
    Path folder;

    private Path write(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(folder.resolve(name).resolve("..").normalize());
        return Files.writeString(file, text);
    }

    private static Configuration load(Path path) throws ConfigException {
        return load(path, Map.of());
    }

    private static Configuration load(Path path, Map<String, String> variables) throws ConfigException {
        return new ConfigurationLoader(new DiskFiles(), "mx.example.com", Map.of("RSPAMD_SYNC", "5s", "HOME", "/root"),
                variables, UclLimits.DEFAULT).load(path.toString());
    }

    /** Writes a tree with the include lines of Rspamd's own. */
    private void tree() throws IOException {
        write("rspamd.conf", """
                .include "$CONFDIR/modules.d/fuzzy_check.conf"
                worker "normal" { bind_socket = "localhost:11333"; }
                worker "fuzzy" {
                    bind_socket = "localhost:11335";
                    count = -1; # Disable by default
                    .include "$CONFDIR/worker-fuzzy.inc"
                    .include(try=true; priority=1,duplicate=merge) "$LOCAL_CONFDIR/local.d/worker-fuzzy.inc"
                    .include(try=true; priority=10) "$LOCAL_CONFDIR/override.d/worker-fuzzy.inc"
                }
                """);
        write("worker-fuzzy.inc", "backend = \"redis\"; expire = 90d; allow_update = [\"localhost\"];\n");
        write("modules.d/fuzzy_check.conf", """
                fuzzy_check {
                  min_bytes = 1k;
                  rule "rspamd.com" { servers = "fuzzy1:11335"; read_only = yes; }
                  .include(try=true,priority=5) "${DBDIR}/dynamic/fuzzy_check.conf"
                  .include(try=true,priority=1,duplicate=merge) "$LOCAL_CONFDIR/local.d/fuzzy_check.conf"
                  .include(try=true,priority=10) "$LOCAL_CONFDIR/override.d/fuzzy_check.conf"
                }
                """);
        write("local.d/worker-fuzzy.inc", "count = 1;\nallow_update = [\"10.0.0.0/8\"];\nsync = {= env.SYNC =};\n");
        write("override.d/worker-fuzzy.inc", "hash_file = \"${DBDIR}/fuzzy.db\"; backend = \"sqlite\";\n");
        write("local.d/fuzzy_check.conf", "rule \"local\" { servers = \"$HOSTNAME:11335\"; }\n");
    }

    @Test
    void loadsAWholeTree() throws Exception {
        tree();
        Configuration found = load(folder);
        assertThat(found.shape()).isEqualTo(Configuration.Shape.RSPAMD_TREE);
        assertThat(found.files()).hasSize(6).first().isEqualTo(folder.toRealPath().resolve("rspamd.conf").toString());
        assertThat(found.warnings()).isEmpty();
        assertThat(found.workers("fuzzy")).singleElement().extracting(JsonText::compact).isEqualTo("{"
                + "\"bind_socket\":\"localhost:11335\",\"count\":1,\"backend\":\"sqlite\",\"expire\":7776000.0,"
                + "\"allow_update\":[\"localhost\",\"10.0.0.0/8\"],\"sync\":5.0,"
                + "\"hash_file\":\"/var/lib/rspamd/fuzzy.db\"}");
        assertThat(found.sections("fuzzy_check")).singleElement().extracting(JsonText::compact).isEqualTo("{"
                + "\"min_bytes\":1000,\"rule\":{\"rspamd.com\":{\"servers\":\"fuzzy1:11335\",\"read_only\":true},"
                + "\"local\":{\"servers\":\"mx.example.com:11335\"}}}");
        UclObject worker = found.workers("fuzzy").getFirst();
        Path local = folder.resolve("local.d/worker-fuzzy.inc");
        assertThat(worker.values("count").getFirst().origin())
                .isEqualTo(new Origin(local.toRealPath().toString(), 1, 1));
        assertThat(worker.values("count").getFirst().priority()).isEqualTo(1);
        assertThat(UclText.explained(worker, "hash_file"::equals)).contains(
                "count = 1;  # " + local.toRealPath() + ":1:1, priority 1\n", "hash_file = \"(not shown)\";");
        assertThat(load(folder.resolve("rspamd.conf")).root()).isNotNull();
        assertThat(load(folder, Map.of("DBDIR", "/db")).workers("fuzzy").getFirst().values("hash_file"))
                .singleElement()
                .asString()
                .contains("/db/fuzzy.db");
    }

    /** Of these key pairs, Rspamd uses only the first, contrary to its documents. */
    @Test
    void keepsKeyPairsOfLocalFilesSeparate() throws Exception {
        tree();
        write("local.d/worker-fuzzy.inc", "keypair { pubkey = a; privkey = b }\nkeypair { pubkey = c; privkey = d }\n");
        Configuration found = load(folder);
        assertThat(found.warnings()).isEmpty();
        assertThat(found.workers("fuzzy").getFirst().values("keypair")).extracting(JsonText::compact)
                .containsExactly("{\"pubkey\":\"a\",\"privkey\":\"b\"}", "{\"pubkey\":\"c\",\"privkey\":\"d\"}");
    }

    @Test
    void loadsTheInsideOfASection() throws Exception {
        tree();
        Configuration worker = load(folder.resolve("worker-fuzzy.inc"));
        assertThat(worker.shape()).isEqualTo(Configuration.Shape.INSIDE_OF_WORKER);
        assertThat(worker.workers("fuzzy")).hasSize(1);
        Configuration check = load(folder.resolve("local.d/fuzzy_check.conf"));
        assertThat(check.shape()).isEqualTo(Configuration.Shape.INSIDE_OF_FUZZY_CHECK);
        assertThat(check.sections("fuzzy_check")).hasSize(1);
        assertThat(load(folder.resolve("modules.d/fuzzy_check.conf")).shape())
                .isEqualTo(Configuration.Shape.WHOLE_FILE);
    }

    @Test
    void takesAFileForWhatItsNameSays() throws Exception {
        tree();
        Configuration controller = load(write("local.d/worker-controller.inc", "password = \"q\";\n"));
        assertThat(controller.shape()).isEqualTo(Configuration.Shape.INSIDE_OF_CONTROLLER);
        assertThat(controller.workers("controller")).hasSize(1);
        assertThat(controller.workers("fuzzy")).isEmpty();
        Configuration group = load(write("local.d/fuzzy_group.conf", "max_score = 12;\n"));
        assertThat(group.shape()).isEqualTo(Configuration.Shape.INSIDE_OF_FUZZY_GROUP);
        assertThat(group.sections("group", "fuzzy")).hasSize(1);
        for (String name : new String[]{"worker-normal.inc", "worker-proxy.inc", "options.inc", "redis.conf"}) {
            Path file = write("local.d/" + name, "count = 1;\n");
            assertThatThrownBy(() -> load(file)).hasMessageContaining("Weir reads no " + name);
        }
    }

    @Test
    void loadsWeirConf() throws Exception {
        tree();
        Path own = write("weir.conf", "worker \"fuzzy\" { count = 2 }\nworker { type = fuzzy; count = 3 }\n"
                + "worker { fuzzy { count = 4 } normal { count = 5 } }\n");
        assertThat(load(own).shape()).isEqualTo(Configuration.Shape.WHOLE_FILE);
        assertThat(load(own).workers("fuzzy"))
                .extracting(section -> JsonText.compact(section.values("count").getFirst()))
                .containsExactly("2", "3", "4");
        // In a folder with both files, weir.conf takes precedence.
        assertThat(load(folder).file()).endsWith("weir.conf");
        assertThat(load(write("empty.conf", "")).workers("fuzzy")).hasSize(1);
    }

    @Test
    void loadingErrorsNameTheReason() throws Exception {
        assertThatThrownBy(() -> load(folder)).isInstanceOf(ConfigException.class)
                .hasMessageEndingWith("this folder has neither weir.conf nor rspamd.conf");
        assertThatThrownBy(() -> load(folder.resolve("none.conf"))).isInstanceOf(ConfigException.class)
                .hasMessageEndingWith("cannot read: there is no such file");
        Path array = write("array.conf", "[1]");
        assertThatThrownBy(() -> load(array)).hasMessageContaining("the file is an array");
    }

    @Test
    void errorsOfAllFilesAreReportedAtOnce() throws Exception {
        tree();
        write("modules.d/fuzzy_check.conf", "fuzzy_check { a = {= env.X|nofilter =}; }\n");
        write("local.d/worker-fuzzy.inc", "count = 1;\n}\nsync = 5s;\n");
        write("override.d/worker-fuzzy.inc", """
                .include "none.inc"
                .unknown "x"
                """);
        Problems problems = new Problems();
        Configuration sound = new ConfigurationLoader(new DiskFiles(), "mx.example.com", Map.of(), Map.of(),
                UclLimits.DEFAULT).loadSound(folder.toString(), problems).orElseThrow();
        Path real = folder.toRealPath();
        assertThat(problems.all()).extracting(problem -> real.relativize(Path.of(problem.origin().file())) + ":"
                + problem.origin().line() + ": " + problem.message().split(",", -1)[0]).containsExactly(
                        "modules.d/fuzzy_check.conf:1: template: unknown filter \"nofilter\"",
                        "local.d/worker-fuzzy.inc:2: this '}' closes nothing",
                        "override.d/worker-fuzzy.inc:1: there is no file none.inc",
                        "override.d/worker-fuzzy.inc:2: unknown macro \".unknown\"");
        // The options before an error and in later files remain available for inspection.
        assertThat(sound.workers("fuzzy")).singleElement().satisfies(worker -> assertThat(worker.members())
                .containsKeys("count", "backend").doesNotContainKey("sync"));
        assertThatThrownBy(() -> load(folder)).isInstanceOfSatisfying(ConfigException.class,
                e -> assertThat(e.problems()).hasSize(4));
    }

    @Test
    void readingStopsAtALimit() throws Exception {
        write("weir.conf", ".include \"$CURDIR/a.inc\"\n.include \"$CURDIR/a.inc\"\n");
        write("a.inc", "a = 1; b = 2; c = 3; d = 4;\n");
        Problems problems = new Problems();
        UclLimits usual = UclLimits.DEFAULT;
        new ConfigurationLoader(new DiskFiles(), "host", Map.of(), Map.of(),
                new UclLimits(usual.fileBytes(), usual.totalBytes(), usual.includes(), usual.includeDepth(),
                        usual.depth(), 3, usual.expandedChars()))
                .loadSound(folder.toString(), problems);
        assertThat(problems.all()).singleElement().asString().contains("more than 3 values");
    }

    @Test
    void readsFilesFromDisk() throws Exception {
        write("d/1.conf", "a = 1");
        write("d/2.conf", "b = 2");
        write("d/.hidden.conf", "c = 3");
        write("d/{x}.conf", "d = 4");
        DiskFiles files = new DiskFiles();
        assertThat(files.glob(folder + "/*/*.conf", 9))
                .containsExactly(folder + "/d/1.conf", folder + "/d/2.conf", folder + "/d/{x}.conf");
        assertThat(files.glob(folder + "/d/[12].con?", 9)).hasSize(2);
        assertThat(files.glob(folder + "/none/*", 9)).isEmpty();
        assertThatThrownBy(() -> files.glob(folder + "/d/*", 1)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> files.glob(folder + "/d/[", 1)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> files.read(folder + "/d/1.conf", 4)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> files.read(folder.toString(), 4)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> files.realPath("a\0b")).isInstanceOf(IOException.class);
    }

    @Test
    void bytesThatAreNoUtf8AreWarnedAbout() throws Exception {
        Path file = folder.resolve("weir.conf");
        Files.write(file, new byte[]{'a', ' ', '=', ' ', 'x', '\n', '#', (byte) 0xe9, '\n'});
        List<Problem> warnings = load(file).warnings();
        assertThat(warnings).singleElement().asString()
                .endsWith(":2:2: warning: the file is not valid UTF-8, malformed bytes are lost");
    }
}
