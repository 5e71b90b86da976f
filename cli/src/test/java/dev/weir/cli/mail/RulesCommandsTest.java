package dev.weir.cli.mail;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;

import dev.weir.cli.Run;
import dev.weir.cli.demo.Samples;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.model.Network;
import dev.weir.storage.engine.BackendKind;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.StorageServer;
import dev.weir.testkit.FreePort;
import dev.weir.wire.key.KeyPair;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests commands with the rules of a configuration, and {@code weir doctor}, with a storage in the same process. */
class RulesCommandsTest {
    @TempDir
    Path folder;

    private StorageServer server = new StorageServer(StorageConfig.of(Path.of("unused")));
    private Path spam = Path.of("");

    @BeforeEach
    void mail() throws Exception {
        spam = Files.write(folder.resolve("spam.eml"), Samples.campaigns().getFirst().mail());
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int start(List<Network> writers) throws Exception {
        server = new StorageServer(StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).withAllowUpdate(writers));
        return server.start().getPort();
    }

    private String rules(String servers, String more) throws Exception {
        return Files.writeString(folder.resolve("fuzzy_check.conf"),
                """
                        rule "one" {
                          servers = "%s"; symbol = "UNKNOWN"; timeout = 200ms; retransmits = 1; mime_types = ["*"]; \
                          min_length = 64;
                          skip_unknown = true; %s
                          fuzzy_map { FUZZY_DENIED { flag = 1; max_score = 20.0; } }
                        }
                        """
                        .formatted(servers, more))
                .toString();
    }

    @Test
    void learnsChecksAndForgetsByRules() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()),
                "read_only = false; algorithm = siphash;");
        Run learned = Run.weir("learn", "-c", rules, "-f", "1", "-w", "5", spam.toString());
        assertThat(learned.err()).isEmpty();
        assertThat(learned.status()).isEqualTo(ExitCode.OK);
        assertThat(learned.out()).contains("rule one, flag 1, 127.0.0.1:", "1 of 1 hash confirmed");
        Run checked = Run.weir("check", "-c", rules, spam.toString());
        assertThat(checked.status()).isEqualTo(ExitCode.OK);
        assertThat(checked.out()).contains("known, score", "FUZZY_DENIED(");
        JsonNode json = new JsonMapper()
                .readTree(Run.weir("check", "--json", "-c", rules, spam.toString()).out());
        assertThat(json.path("symbols").path("FUZZY_DENIED").path("score").asDouble()).isPositive();
        assertThat(Run.weir("learn", "-c", rules, "-f", "9", spam.toString()).status()).isEqualTo(ExitCode.INPUT);
        assertThat(Run.weir("forget", "-c", rules, "-f", "1", spam.toString()).status()).isEqualTo(ExitCode.OK);
        assertThat(Run.weir("check", "-c", rules, spam.toString()).status()).isEqualTo(ExitCode.NO_MATCH);
    }

    @Test
    void reportsWhatRulesForget() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()), "read_only = false;");
        Run.weir("learn", "-c", rules, "-f", "1", "-w", "5", spam.toString());
        Run rehearsal = Run.weir("forget", "-c", rules, "-f", "1", "--matching", "--dry-run", spam.toString());
        assertThat(rehearsal.status()).as(rehearsal.err()).isEqualTo(ExitCode.OK);
        assertThat(rehearsal.out()).contains("would forget 1 hash (txt), flag 1");
        Run forgotten = Run.weir("forget", "-c", rules, "-f", "1", "--matching", spam.toString());
        assertThat(forgotten.out()).contains("1 of 1 hash confirmed", "forgotten 1 hash (txt), flag 1");
        Run again = Run.weir("forget", "-c", rules, "-f", "1", spam.toString());
        assertThat(again.status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(again.out()).contains("none of 1 hash was on this list", "not stored");
    }

    @Test
    void acceptsASymbolInsteadOfAFlag() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()), "read_only = false;");
        String[] learn = {"learn", "-c", rules, "--symbol", "fuzzy_denied", "-w", "5", spam.toString()};
        assertThat(Run.weir(learn).out()).contains("flag 1", "1 of 1 hash confirmed");
        assertThat(Run.weir("forget", "-c", rules, "-S", "FUZZY_DENIED", spam.toString()).status())
                .isEqualTo(ExitCode.OK);
        assertThat(Run.weir("check", "-c", rules, spam.toString()).status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(Run.weir("learn", "-c", rules, "-S", "NO_SUCH", spam.toString()).status())
                .isEqualTo(ExitCode.INPUT);
        assertThat(Run.weir("learn", "-S", "FUZZY_DENIED", spam.toString()).status()).isEqualTo(ExitCode.USAGE);
        assertThat(Run.weir("learn", "-f", "1", "-S", "FUZZY_DENIED", spam.toString()).status())
                .isEqualTo(ExitCode.USAGE);
    }

    @Test
    void reportsAnUnreachableServerAsAFailure() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()) + ",127.0.0.1:" + FreePort.find(),
                "read_only = false;");
        Run run = Run.weir("learn", "-c", rules, "-f", "1", spam.toString());
        assertThat(run.status()).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(run.out()).contains("1 of 1 hash confirmed", "0 of 1 hash confirmed");
    }

    @Test
    void checkReportsUnreachableServers() throws Exception {
        String port = ":" + FreePort.find();
        Run unresolved = Run.weir("check", "-c", rules("no-such-host.invalid" + port, ""), spam.toString());
        assertThat(unresolved.status()).isEqualTo(ExitCode.NO_ANSWER);
        assertThat(unresolved.out()).isEqualTo(spam + ": no answer" + System.lineSeparator());
        assertThat(unresolved.err()).contains("spam.eml: rule one: no address is known for no-such-host.invalid");
        String closed = rules("127.0.0.1" + port, "");
        assertThat(Run.weir("check", "-c", closed, spam.toString()).err()).contains("nothing listens at 127.0.0.1");
        JsonNode json = new JsonMapper().readTree(Run.weir("check", "--json", "-c", closed, spam.toString()).out());
        assertThat(json.path("complete").asBoolean(true)).isFalse();
        assertThat(json.path("failures").get(0).path("server").asString()).isEqualTo("127.0.0.1" + port);
        assertThat(json.path("failures").get(0).path("message").asString()).contains("nothing listens at");
    }

    @Test
    void appliesAConditionAndReportsItsErrors() throws Exception {
        String server = "127.0.0.1:" + start(StorageConfig.loopback());
        Run refused = Run.weir("learn", "-c", rules(server,
                "read_only = false; learn_condition = \"return function(task) return false end\";"), "-f", "1",
                spam.toString());
        assertThat(refused.status()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.out()).contains("rule one: not learned");
        Run broken = Run.weir("learn", "-c", rules(server,
                "read_only = false; learn_condition = \"return function(task\";"), "-f", "1", spam.toString());
        assertThat(broken.status()).isEqualTo(ExitCode.INPUT);
        assertThat(broken.err()).contains("learn_condition of rule one:1");
    }

    @Test
    void aDryRunReportsUpdatesAndSendsNothing() throws Exception {
        String server = "127.0.0.1:" + start(StorageConfig.loopback());
        String other = rules(server,
                "read_only = false; learn_condition = \"return function(task) return true, 7 end\";");
        Run would = Run.weir("learn", "--dry-run", "-c", other, "-f", "1", spam.toString());
        assertThat(would.status()).isEqualTo(ExitCode.OK);
        assertThat(would.out()).contains("rule one: would learn 1 hash with flag 7");
        assertThat(Run.weir("check", "-c", other, spam.toString()).status()).isEqualTo(ExitCode.NO_MATCH);
        JsonNode json = new JsonMapper().readTree(
                Run.weir("learn", "--dry-run", "--json", "-c", other, "-f", "1", spam.toString()).out());
        assertThat(json.path("success").asBoolean()).isTrue();
        assertThat(json.path("rules").get(0).path("decision").asString()).isEqualTo("learns");
        Run not = Run.weir("learn", "--dry-run", "-c", rules(server,
                "read_only = false; learn_condition = \"return function(task) end\";"), "-f", "1", spam.toString());
        assertThat(not.status()).isEqualTo(ExitCode.REFUSED);
        assertThat(not.out()).contains("rule one: would not learn, ", "returned nothing");
        assertThat(Run.weir("learn", "--dry-run", "-f", "1", spam.toString()).status()).isEqualTo(ExitCode.USAGE);
    }

    /** Otherwise the command would use other storages and hashes than its options name. */
    @Test
    void optionsThatRulesReplaceAreRefusedWithRules() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()), "read_only = false;");
        Run check = Run.weir("check", "-c", rules, "--kinds", "all", spam.toString());
        Run learn = Run.weir("learn", "-c", rules, "-f", "1", "--kinds", "source", spam.toString());
        Run forget = Run.weir("forget", "-c", rules, "-f", "1", "--kinds", "rspamd,links", spam.toString());
        assertThat(List.of(check, learn, forget)).allSatisfy(run -> {
            assertThat(run.status()).isEqualTo(ExitCode.USAGE);
            assertThat(run.err()).contains("with --config", "leave out --kinds");
        });
        Run other = Run.weir("learn", "-c", rules, "-f", "1", "-s", "127.0.0.1:1", "--algorithm", "siphash",
                spam.toString());
        assertThat(other.status()).isEqualTo(ExitCode.USAGE);
        assertThat(other.err()).contains("with --config", "leave out --server, --algorithm");
        assertThat(Run.weir("explain", "-c", rules, "--min-length", "40", spam.toString()).err())
                .contains("leave out --min-length");
        assertThat(Run.weir("check", "--var", "A=b", spam.toString()).err()).contains("--var", "give --config");
        assertThat(Run.weir("serve", "--var", "A=b").err()).contains("--var", "give --config");
        assertThat(Run.weir("check", "-c", rules, "--hash-time", "5s", spam.toString()).status())
                .isEqualTo(ExitCode.NO_MATCH);
        assertThat(server.stats().engine().hashes()).isZero();
    }

    /** "Not known" would be an all-clear that no storage gave. */
    @Test
    void reportsRefusals() throws Exception {
        server = new StorageServer(StorageConfig.of(folder.resolve("data")).withBackend(BackendKind.STORE)
                .withBind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .withKeyPairs(List.of(KeyPair.generate(new SecureRandom()))).withEncryptedOnly(true));
        String rules = rules("127.0.0.1:" + server.start().getPort(), "read_only = false;");
        Run check = Run.weir("check", "-c", rules, spam.toString());
        assertThat(check.status()).isEqualTo(ExitCode.REFUSED);
        assertThat(check.out()).contains("spam.eml: refused").doesNotContain("not known");
        assertThat(check.err()).contains("rule one", "only encrypted requests (415)");
        JsonNode json = new JsonMapper().readTree(Run.weir("check", "--json", "-c", rules, spam.toString()).out());
        assertThat(json.path("complete").asBoolean(true)).isFalse();
        assertThat(json.path("failures").get(0).path("code").asInt()).isEqualTo(415);
        Run trial = Run.weir("trial", "-c", rules, spam.toString());
        assertThat(trial.status()).isEqualTo(ExitCode.REFUSED);
        assertThat(trial.err()).contains("only encrypted requests (415)");
        for (String option : List.of("--dry-run", "--matching")) {
            Run forget = Run.weir("forget", "-c", rules, "-f", "1", option, spam.toString());
            assertThat(forget.status()).as(option).isEqualTo(ExitCode.REFUSED);
            assertThat(forget.out()).as(option).isEmpty();
            assertThat(forget.err()).as(option).contains("only encrypted requests (415)");
        }
    }

    @Test
    void forgetsNothingByGuessAtASilentServer() throws Exception {
        String rules = rules("127.0.0.1:" + FreePort.find(), "read_only = false;");
        for (String option : List.of("--dry-run", "--matching")) {
            Run forget = Run.weir("forget", "-c", rules, "-f", "1", option, spam.toString());
            assertThat(forget.status()).as(option).isEqualTo(ExitCode.NO_ANSWER);
            assertThat(forget.out()).as(option).isEmpty();
            Run json = Run.weir("forget", "--json", "-c", rules, "-f", "1", option, spam.toString());
            assertThat(new JsonMapper().readTree(json.out()).path("failures")).as(option).hasSize(1);
        }
        assertThat(Run.weir("forget", "-c", rules, "-f", "1", spam.toString()).out())
                .contains("0 of 1 hash confirmed").doesNotContain("none of 1 hash was on this list");
    }

    @Test
    void forgetPrintsOneObjectForAMail() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()), "read_only = false;");
        Run.weir("learn", "-c", rules, "-f", "1", "-w", "5", spam.toString());
        Run run = Run.weir("forget", "--json", "-c", rules, "-f", "1", spam.toString());
        assertThat(run.out().lines()).hasSize(1);
        JsonNode json = new JsonMapper().readTree(run.out());
        assertThat(json.path("success").asBoolean()).isTrue();
        assertThat(json.path("stored").get(0).path("flags").path("1").asInt()).isEqualTo(5);
        Run again = Run.weir("forget", "--json", "-c", rules, "-f", "1", spam.toString());
        assertThat(again.status()).isEqualTo(ExitCode.NO_MATCH);
        assertThat(again.out().lines()).hasSize(1);
    }

    /** A script passes such a name when its variable is unset; Java takes it for the current folder. */
    @Test
    void anEmptyFileNameIsNotTheCurrentFolder() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()), "read_only = false;");
        Run run = Run.weir("learn", "-c", rules, "-f", "1", "");
        assertThat(run.status()).isEqualTo(ExitCode.INPUT);
        assertThat(run.err()).contains("a file name is empty");
    }

    @Test
    void doctorReportsNoProblems() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()), "read_only = false;");
        Run run = Run.weir("doctor", "-c", rules, spam.toString());
        assertThat(run.out()).contains("ok  a rule may learn", "(rule one, checks) answers and holds 0 hashes",
                "ok  rule one may write to", "ok  rule one learns the mail (1 hash)",
                "--  a check of the mail gives: no symbol");
        assertThat(run.out()).doesNotContain("NO  ");
        assertThat(run.status()).isEqualTo(ExitCode.OK);
        assertThat(server.stats().engine().hashes()).isZero();
        Run.weir("learn", "-c", rules, "-f", "1", "-w", "5", spam.toString());
        assertThat(Run.weir("doctor", "-c", rules, spam.toString()).out().lines())
                .anyMatch(line -> line.matches("--  a check of the mail gives: \\w+\\(\\d+\\.\\d\\d\\)"));
    }

    @Test
    void doctorReadsTheConfigurationOnce() throws Exception {
        String rules = rules("127.0.0.1:" + start(StorageConfig.loopback()), "read_only = false;");
        assertThat(Run.weir("doctor", "-c", rules).err().lines()).as("warnings").hasSize(1)
                .allMatch(line -> line.contains("names no algorithm"));
    }

    /** A text that was learned with one algorithm has the same digest and other shingles under another. */
    @Test
    void doctorFindsTwoAlgorithms() throws Exception {
        String server = "127.0.0.1:" + start(StorageConfig.loopback());
        Run.weir("learn", "--server", server, "-f", "1", "-w", "5", spam.toString());
        Run same = Run.weir("doctor", "-c", rules(server, "read_only = false; algorithm = mumhash;"), spam.toString());
        assertThat(same.out()).contains("ok  storage " + server + " finds part 0 of the mail by its shingles");
        assertThat(same.status()).isEqualTo(ExitCode.OK);
        Run other = Run.weir("doctor", "-c", rules(server, "read_only = false;"), spam.toString());
        assertThat(other.out()).contains(
                "NO  storage " + server + " finds part 0 of the mail by its shingles (rule one)",
                "under other shingles",
                "weir without a configuration uses mumhash, a rule that names none uses siphash");
        assertThat(other.status()).isEqualTo(ExitCode.INPUT);
        String two = Files.readString(Path.of(rules(server, "read_only = false; algorithm = mumhash;")))
                + Files.readString(Path.of(rules(server, "read_only = true; algorithm = siphash;")))
                        .replace("\"one\"", "\"two\"");
        Run both = Run.weir("doctor", "-c", Files.writeString(folder.resolve("fuzzy_check.conf"), two).toString());
        assertThat(both.out())
                .contains("NO  the rules one and two of one storage make the same shingles: they differ in "
                        + "algorithm or fuzzy_shingles_key");
        assertThat(both.status()).isEqualTo(ExitCode.INPUT);
    }

    @Test
    void doctorReportsProblems() throws Exception {
        int port = start(List.of());
        Run denied = Run.weir("doctor", "-c", rules("127.0.0.1:" + port, "read_only = false;"));
        assertThat(denied.status()).isEqualTo(ExitCode.INPUT);
        assertThat(denied.out()).contains("NO  rule one may write to", "refused with 503", "allow_update");
        Run readOnly = Run.weir("doctor", "-c", rules("127.0.0.1:" + port, "read_only = true;"));
        assertThat(readOnly.out()).contains("NO  a rule may learn", "read_only = false");
        Run dead = Run.weir("doctor", "-c", rules("127.0.0.1:" + FreePort.find(), "read_only = false;"));
        assertThat(dead.out()).contains("NO  storage 127.0.0.1:", "(rule one, checks) answers", "Is it running");
        Run tiny = Run.weir("doctor", "-c", rules("127.0.0.1:" + port, "read_only = false;"),
                Files.writeString(folder.resolve("short.eml"), "Subject: hi\n\nhi\n").toString());
        assertThat(tiny.out()).contains("NO  rule one learns the mail (0 hashes)", "weir explain");
    }
}
