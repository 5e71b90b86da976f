package dev.weir.cli.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.weir.cli.Run;
import dev.weir.cli.terminal.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the reports of {@code weir config} on valid and invalid configurations. */
class ConfigCommandTest {
    @TempDir
    Path folder;

    private String write(String text) throws Exception {
        return Files.writeString(folder.resolve("weir.conf"), text).toString();
    }

    @Test
    void acceptsAValidConfiguration() throws Exception {
        String path = write("worker \"fuzzy\" { hash_file = \"/var/lib/weir/fuzzy.db\"; count = 2; }\n");
        Run run = Run.weir("config", "check", path);
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        assertThat(run.err()).isEmpty();
    }

    private static String rule(String kinds) {
        return "fuzzy_check { rule \"r\" { servers = \"127.0.0.1:1\"; algorithm = mumhash; max_score = 20; "
                + kinds + " fuzzy_map { A { flag = 1 } } } }\n";
    }

    @Test
    void advisesOnlyIfAsked() throws Exception {
        String none = write(rule(""));
        assertThat(Run.weir("config", "check", none).out()).doesNotContain("phishing");
        assertThat(Run.weir("config", "check", "--advice", none).out())
                .contains("rule \"r\" recognizes 49.8 % of 3,955 phishing mails by an earlier one; "
                        + "kinds = \"recommended\" recognizes 75.8 %");
        assertThat(Run.weir("config", "check", "--advice", write(rule("kinds { source {} picture {} }"))).out())
                .contains("recognizes at least 60.2 %");
        assertThat(Run.weir("config", "check", "--advice", write(rule("kinds { recommended = true; "
                + "chars { threshold = 17 } }"))).out()).contains("recognizes at least 71.8 % of");
        assertThat(Run.weir("config", "check", "--advice", write(rule("kinds = \"recommended\";"))).out())
                .contains("uses all kinds as recommended: 75.8 %");
        assertThat(Run.weir("config", "check", "--advice", write("worker \"fuzzy\" { hash_file = \"/a/fuzzy.db\"; }"))
                .out()).contains("no rule: write fuzzy_check");
    }

    /** The figures of the advice are those of the page. */
    @Test
    void theAdviceHasTheFiguresOfThePage() throws Exception {
        String page = Files.readString(Path.of("../docs/internals/accuracy.md"));
        assertThat(page).contains("The spam is 3,955 phishing mails", "| Rspamd's | 49.8 % |", "| all | 71.8 % |",
                "recognize 2,838 of the 3,955 mails\nat the default threshold of 17, and 2,998 at 13");
        KindAdvice.ONE_KIND.forEach((kind, share) -> assertThat(page)
                .contains("| and `" + kind.label() + "` | " + share + " % |"));
        assertThat(KindAdvice.RECOMMENDED).isEqualTo(Math.round(1000.0 * 2998 / KindAdvice.MAILS) / 10.0);
        assertThat(KindAdvice.ALL_AT_17).isEqualTo(Math.round(1000.0 * 2838 / KindAdvice.MAILS) / 10.0);
    }

    @Test
    void reportsEveryMistakeWithItsPosition() throws Exception {
        String path = write("""
                worker "fuzzy" {
                  hash_file = "/var/lib/weir/fuzzy.db";
                  expires = 90d;
                  encrypted_only = maybe;
                }
                """);
        Run run = Run.weir("config", "check", path);
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("weir.conf:3:3: unknown option \"expires\"", "did you mean \"expire\"?",
                "weir.conf:4:");
    }

    @Test
    void printsValuesWithTheirOriginAndWithoutSecrets() throws Exception {
        String path = write("""
                worker "fuzzy" {
                  hash_file = "/var/lib/weir/fuzzy.db";
                  keypair { pubkey = "abc"; privkey = "verysecret"; }
                  sentinel_password = "verysecret";
                }
                """);
        Run run = Run.weir("config", "explain", path);
        assertThat(run.out()).contains("/var/lib/weir/fuzzy.db", "weir.conf:2", "sentinel_password")
                .doesNotContain("verysecret");
    }

    @Test
    void aStorageWithRedisTakesTheFolderOfTheCommandLine() throws Exception {
        String path = write("redis { servers = \"/run/redis.sock\"; }\nworker \"fuzzy\" { backend = \"redis\"; }\n");
        assertThat(Run.weir("config", "check", path).status()).isEqualTo(ExitCode.OK);
        Run given = Run.weir("config", "check", "--data", folder.toString(), path);
        assertThat(given.status()).isEqualTo(ExitCode.OK);
        assertThat(given.err()).isEmpty();
        String plain = write("worker \"fuzzy\" { }\n");
        assertThat(Run.weir("config", "check", plain).err()).contains("needs hash_file", "or --data DIR");
    }

    @Test
    void reportsAMissingFile() {
        Run run = Run.weir("config", "check", folder.resolve("no.conf").toString());
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("no.conf");
    }

    @Test
    void acceptsAScannerConfigurationOfRulesAlone() throws Exception {
        Path rules = Files.writeString(folder.resolve("fuzzy_check.conf"), """
                rule "one" { servers = "127.0.0.1:11335"; symbol = "UNKNOWN"; fuzzy_map { DENIED { flag = 1; } } }
                """);
        Run run = Run.weir("config", "check", rules.toString());
        assertThat(run.out() + run.err()).contains("can be used by scanners").doesNotContain("no worker");
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        assertThat(Run.weir("serve", "-c", rules.toString()).err()).contains("no worker \"fuzzy\"");
    }

    /** Writes a small tree with every unusual construct of the stock tree of Rspamd 4.1.6. */
    private void stockTree() throws Exception {
        Files.createDirectories(folder.resolve("modules.d"));
        Files.createDirectories(folder.resolve("local.d"));
        Files.writeString(folder.resolve("rspamd.conf"),
                """
                        .include "$CONFDIR/modules.conf"
                        options { pidfile = "{= env.PIDFILE|default('$RUNDIR/daemon.pid') =}"; }
                        worker "controller" {
                            bind_socket = "{= env.LOCAL_ADDR|default('localhost') =}:\
                        {= env.PORT_CONTROLLER|default('11334') =}";
                            .include "$CONFDIR/controller.inc"
                            .include(try=true; priority=1,duplicate=merge) "$LOCAL_CONFDIR/local.d/controller.inc"
                        }
                        worker "fuzzy" {
                            bind_socket = "{= env.LOCAL_ADDR|default('localhost') =}:\
                        {= env.PORT_FUZZY|default('11335') =}";
                            count = -1; # Off
                            .include "$CONFDIR/fuzzy.inc"
                            .include(try=true; priority=1,duplicate=merge) "$LOCAL_CONFDIR/local.d/fuzzy.inc"
                            .include(try=true; priority=10) "$LOCAL_CONFDIR/override.d/fuzzy.inc"
                        }
                        .include(try=true) "$CONFDIR/none.conf"
                        """);
        Files.writeString(folder.resolve("modules.conf"),
                ".include(glob=true) \"$CONFDIR/modules.d/*.conf\"\n");
        Files.writeString(folder.resolve("controller.inc"), """
                count = 1; password = "q1"; secure_ip = "127.0.0.1"; secure_ip = "::1"; static_dir = "${WWWDIR}";
                allow_file_and_shm_inputs = true;
                max_connections = 0;
                """);
        Files.writeString(folder.resolve("fuzzy.inc"),
                "backend = \"redis\";\nexpire = 90d;\nallow_update = [\"localhost\"];");
        Files.writeString(folder.resolve("modules.d/multi.conf"), """
                multi {
                  map = "{= env.MIRROR | default "https://maps.example.com" =}/one.txt";
                  many = ["glob;{= env.MIRROR | default "https://maps.example.com" =}/two.txt", "file;$CONFDIR/x"];
                  prefix = "rs{{HOSTNAME}}{{COMPRESS}}";
                }
                """);
        Files.writeString(folder.resolve("modules.d/fuzzy_check.conf"),
                """
                        fuzzy_check {
                          min_bytes = 1k; timeout = 2s; retransmits = 1;
                          rule "one" {
                            algorithm = "mumhash"; servers = "service=fuzzy+example.com"; symbol = "FUZZY_ALL";
                            mime_types = ["*"]; hits_limit = 20.0; read_only = yes; skip_unknown = yes;
                            short_text_direct_hash = true; min_length = 64;
                            fuzzy_map = { FUZZY_BAD { hits_limit = 20.0; flag = 1; } FUZZY_GOOD { hits_limit = 2.0; \
                            flag = 3; } }
                          }
                          .include(try=true,priority=5) "${DBDIR}/dynamic/fuzzy_check.conf"
                          .include(try=true,priority=1,duplicate=merge) "$LOCAL_CONFDIR/local.d/fuzzy_check.conf"
                        }
                        """);
    }

    @Test
    void acceptsAnUnchangedStockTree() throws Exception {
        stockTree();
        Run run = Run.weir("config", "check", folder.toString());
        assertThat(run.err().lines()).allMatch(line -> line.contains(": warning: "))
                .anyMatch(line -> line.contains("\"backend\" of worker \"fuzzy\" has no effect"))
                .anyMatch(line -> line.contains("names no hash_file: the data is in "))
                .anyMatch(
                        line -> line.contains("\"allow_file_and_shm_inputs\" of worker \"controller\" has no effect"));
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        // Rspamd runs a storage with this configuration, so its hashes must not be ignored.
        Files.writeString(folder.resolve("local.d/fuzzy.inc"), "count = 1;\n");
        Run active = Run.weir("config", "check", folder.toString());
        assertThat(active.err()).contains("\"redis\" needs servers", "names no hash_file: the data is in ");
        assertThat(active.status()).isEqualTo(ExitCode.INPUT);
    }

    @Test
    void checksTheInsideOfASectionForWhatItsNameSays() throws Exception {
        Path controller = Files.writeString(folder.resolve("worker-controller.inc"),
                "bind_socket = \"127.0.0.1:0\"; secure_ip = [\"127.0.0.1\"]; expire = 5d;\n");
        assertThat(Run.weir("config", "check", controller.toString()).err()).contains(
                "unknown option \"expire\" in worker \"controller\"; it belongs in worker \"fuzzy\"");
        Path group = Files.writeString(folder.resolve("fuzzy_group.conf"),
                "max_score = 12; symbols { A { weight = 3; } }\n");
        Run sound = Run.weir("config", "check", group.toString());
        assertThat(sound.status()).isEqualTo(ExitCode.OK);
        assertThat(sound.out()).contains("can be part of a configuration");
        Path normal = Files.writeString(folder.resolve("worker-normal.inc"), "count = 1;\n");
        assertThat(Run.weir("config", "check", normal.toString()).err()).contains("Weir reads no worker-normal.inc");
    }

    @Test
    void namesTheSectionsThatNothingReads() throws Exception {
        String path = write("""
                worker "fuzzy" { hash_file = "/var/lib/weir/fuzzy.db"; count = 2; }
                worker "normal" { count = 1; }
                logging { level = "info"; }
                actions { reject = 15; rejekt = 3; }
                redis { servers = "127.0.0.1"; }
                options { control_socket = "not a path"; }
                """);
        Run run = Run.weir("config", "check", path);
        assertThat(run.out()).contains("Weir does not read worker \"normal\", logging\n");
        assertThat(run.err()).contains("\"rejekt\" of actions has no effect");
        assertThat(run.err()).contains("weir.conf:6:", "\"control_socket\" of options is not the path of a socket");
        assertThat(run.status()).isEqualTo(ExitCode.OK);
    }

    @Test
    void servesNothingWhereTheStorageIsSwitchedOff() throws Exception {
        String path = write("worker \"fuzzy\" { hash_file = \"" + folder + "/fuzzy.db\"; enabled = false; }\n");
        Run run = Run.weir("serve", "--no-http", "-c", path);
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        assertThat(run.out()).contains("switches the storage off: nothing to serve");
        assertThat(run.err()).contains("switched off here by enabled = false");
        assertThat(folder.resolve("fuzzy.db")).doesNotExist();
    }

    @Test
    void reportsMistakesInSeveralFilesAndSectionsTogether() throws Exception {
        stockTree();
        Files.writeString(folder.resolve("modules.d/other.conf"), "a = \"{= env.X|nofilter =}\";\n");
        Files.writeString(folder.resolve("modules.d/third.conf"), "a = {\n");
        Files.writeString(folder.resolve("local.d/fuzzy.inc"), "expires = 5d;\n");
        Run run = Run.weir("config", "check", folder.toString());
        assertThat(run.err()).contains("other.conf:1:15: template: unknown filter", "third.conf:1:5: this '{' is not",
                "fuzzy.inc:1:1: unknown option \"expires\"");
        assertThat(run.out()).contains("3 errors");
        assertThat(Run.weir("config", "explain", folder.toString()).status()).isEqualTo(ExitCode.INPUT);
    }

    @Test
    void dataOptionRequiresAConfigurationWithoutAFolder() throws Exception {
        String path = write("worker \"fuzzy\" { hash_file = \"/var/lib/weir/fuzzy.db\"; }\n");
        Run run = Run.weir("serve", "--no-http", "-c", path, "--data", folder.resolve("data").toString());
        assertThat(run.err()).contains("--data names another place");
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
    }

    @Test
    void explainsSectionsByTheirNames() throws Exception {
        stockTree();
        String tree = folder.toString();
        for (String name : new String[]{"worker \"controller\"", "worker controller", "worker  'controller' "}) {
            assertThat(Run.weir("config", "explain", "--section", name, tree).out()).as(name)
                    .contains("static_dir = ").doesNotContain("backend", "q1");
        }
        Run usual = Run.weir("config", "explain", tree);
        assertThat(Run.weir("config", "explain", "--section", "worker \"fuzzy\"", tree).out()).isEqualTo(usual.out())
                .startsWith("# worker \"fuzzy\"\n");
        assertThat(Run.weir("config", "explain", "--section", "fuzzy_check", tree).out()).contains("    one {");
        assertThat(Run.weir("config", "explain", "--section", "rule \"one\"", tree).err())
                .contains("has no rule \"one\"");
        Run unknown = Run.weir("config", "explain", "--section", "worker \"none\"", tree);
        assertThat(unknown.err()).contains("has no worker \"none\"");
        assertThat(unknown.status()).isEqualTo(ExitCode.INPUT);
    }

    /** The example at the top of the page of the language, as it stands there. */
    @Test
    void theExampleOfTheLanguageIsAccepted(@TempDir Path temp) throws Exception {
        String page = Files.readString(Path.of("../docs/reference/configuration-language.md"));
        int start = page.indexOf("```\n") + 4;
        Path file = Files.writeString(temp.resolve("weir.conf"), page.substring(start, page.indexOf("```", start)));
        Run run = Run.weir("config", "check", file.toString());
        assertThat(run.status()).as(run.out() + run.err()).isZero();
        assertThat(run.out()).endsWith("can be used\n");
    }

    /** The milter has one port in all pages and in the configuration of the packages; that of Rspamd has its own. */
    @Test
    void theMilterHasOnePort() throws Exception {
        Pattern place = Pattern.compile("smtpd_milters = inet:127\\.0\\.0\\.1:(\\d+)");
        Set<String> ports = new TreeSet<>();
        try (Stream<Path> pages = Files.walk(Path.of("../docs"))) {
            for (Path file : Stream.concat(pages, Stream.of(Path.of("../packages/weir.conf")))
                    .filter(path -> path.toString().matches(".*\\.(md|conf)") && !path.endsWith("rspamd-proxy.md"))
                    .toList()) {
                place.matcher(Files.readString(file)).results().forEach(match -> ports.add(match.group(1)));
            }
        }
        assertThat(ports).containsExactly("11337");
    }
}
