package dev.weir.scan;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import dev.weir.config.source.ConfigException;
import dev.weir.hash.MailHasher;
import dev.weir.hash.Skip;
import dev.weir.hash.effort.NotHashedException;
import dev.weir.model.Digest;
import dev.weir.scan.LearnReport.Decision;
import dev.weir.scan.LearnReport.Failure;
import dev.weir.scan.LearnReport.Status;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.TestSettings;
import dev.weir.scan.score.SymbolResult;
import dev.weir.scan.upstream.Resolver;
import dev.weir.testkit.DatagramPeer;
import dev.weir.testkit.EchoPeer;
import dev.weir.testkit.FreePort;
import dev.weir.testkit.ScriptedStorage;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.key.KeyPair;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/** Tests the whole client against scripted storages. */
final class FuzzyCheckTest {
    private static final MailHasher HASHER = MailHasher.standard();
    private static final String GROUP = "group \"fuzzy\" { symbols {"
            + " DENIED { weight = 12 } WHITE { weight = -2 } } }\n";
    private static final String MAP = "hits_limit = 20; fuzzy_map { DENIED { flag = 1 } WHITE { flag = 2 } }";

    @TempDir
    Path scratch;

    @RegisterExtension
    final Opened open = new Opened();

    private FuzzyCheck check(String rules) throws ConfigException, IOException {
        return check(rules, FuzzyCheckOptions.DEFAULT);
    }

    private FuzzyCheck check(String rules, FuzzyCheckOptions options) throws ConfigException, IOException {
        FuzzyCheck check = FuzzyCheck.open(
                TestSettings.of(GROUP + "fuzzy_check { timeout = 200ms; revive_time = 300ms;\n" + rules + "\n}"),
                HASHER,
                options);
        open.add(check);
        return check;
    }

    private static String rule(String name, String options) {
        return "rule \"" + name + "\" { min_bytes = 10; " + options + "\n" + MAP + " }\n";
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(1)).until(condition);
    }

    /** The example in the package documentation. */
    @Test
    void exampleOfThePackageDocumentationWorks() throws Exception {
        ScriptedStorage storage = open.storage();
        byte[] spam = TestMail.text(1);
        FuzzyCheckSettings settings = TestSettings.of(GROUP + "fuzzy_check {" + rule("local",
                "servers = \"" + storage.address() + "\"") + "}");

        try (FuzzyCheck fuzzy = FuzzyCheck.open(settings, MailHasher.standard())) {
            fuzzy.learn(spam, LearnRequest.add("DENIED", 10)).join();
            ScanResult result = fuzzy.check(spam, ScanContext.NONE).join();
            assertThat(result.score()).isCloseTo(10.5143, within(5.1e-5));
        }
    }

    @Test
    void scoresAndReportsAHit() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("r", "servers = \"" + storage.address() + "\""));
        byte[] mail = TestMail.text(2);
        assertThat(get(check.learn(mail, LearnRequest.add(1, 20))).whole()).isTrue();
        ScanResult result = get(check.check(mail, ScanContext.NONE));
        String hex = result.asked().getFirst().digest().hex();
        assertThat(result.complete()).isTrue();
        assertThat(result.symbols()).extracting(SymbolResult::name).containsExactly("DENIED");
        assertThat(result.score()).isCloseTo(11.8959, within(5.1e-5));
        assertThat(result.symbols().getFirst().options()).containsExactly("1:" + hex.substring(0, 10) + ":1.00:txt");
        assertThat(result.asked().getFirst().checked()).isEqualTo("r:txt:" + hex);
        assertThat(result.log()).singleElement().asString().startsWith("found exact fuzzy hash(txt) " + hex);
        assertThat(get(check.check(TestMail.text(3), ScanContext.NONE)).symbols()).isEmpty();
        assertThat(check.hashes(mail, 1).rules()).containsOnlyKeys("r");
        assertThat(check.hashes(mail, "denied").rules().get("r")).hasSize(1);
        assertThat(check.hashes(mail, 9).rules()).isEmpty();
        assertThat(check.storages().rules()).singleElement().satisfies(listed -> {
            assertThat(listed.readServers()).containsExactly(storage.address());
            assertThat(listed.flags()).isEqualTo(Map.of("DENIED", 1L, "WHITE", 2L));
        });
        await(() -> check.counts().equals(Map.of("r", 1L)));
    }

    @Test
    void thousandsOfMailsShareOneClient() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("r", "servers = \"" + storage.address() + "\""));
        byte[] known = TestMail.text(4);
        get(check.learn(known, LearnRequest.add(1, 20)));
        List<CompletableFuture<ScanResult>> results = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            results.add(check.check(i % 2 == 0 ? known : TestMail.text(100 + i), ScanContext.NONE));
        }
        for (int i = 0; i < results.size(); i++) {
            assertThat(get(results.get(i)).symbols()).hasSize(i % 2 == 0 ? 1 : 0);
        }
    }

    @Test
    void resendsLostPackets() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("r", "servers = \"" + storage.address() + "\""));
        byte[] mail = TestMail.text(5);
        get(check.learn(mail, LearnRequest.add(1, 20)));
        long before = storage.asked();
        storage.script = command -> storage.asked() > before + 2;
        assertThat(get(check.check(mail, ScanContext.NONE)).symbols()).hasSize(1);
        assertThat(storage.asked() - before).isGreaterThanOrEqualTo(3);
    }

    @Test
    void resentUpdatesKeepTheirTag() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("r", "servers = \"" + storage.address() + "\""));
        storage.script = command -> command.code() == CommandCode.STAT || storage.asked() > 1;
        assertThat(get(check.learn(TestMail.text(6), LearnRequest.add(1, 20))).success()).isTrue();
        assertThat(storage.tags).hasSizeGreaterThanOrEqualTo(2);
        assertThat(storage.questions()).isEqualTo(1);
    }

    @Test
    void usesTheAnswersThatArrived() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("r", "retransmits = 0; mime_types = [\"*\"]; servers = \""
                + storage.address() + "\""));
        byte[] mail = TestMail.withAttachment(7);
        get(check.learn(mail, LearnRequest.add(1, 20)));
        storage.script = command -> command.code() == CommandCode.STAT || command.hasShingles();
        ScanResult result = get(check.check(mail, ScanContext.NONE));
        assertThat(result.symbols()).hasSize(1);
        assertThat(result.asked()).extracting(ScanResult.AskedHash::answered).containsExactly(true, false);
        assertThat(result.failures()).singleElement().satisfies(failure -> {
            assertThat(failure.server()).isEqualTo(storage.address());
            assertThat(failure.message()).contains("no answer").contains("1 try of 200 ms");
        });
    }

    @Test
    void storagesOfTheAgeOfRspamd3AreUnderstood() throws Exception {
        ScriptedStorage storage = open.storage();
        storage.multiFlag = false;
        FuzzyCheck check = check(rule("r", "servers = \"" + storage.address() + "\""));
        byte[] mail = TestMail.text(8);
        get(check.learn(mail, LearnRequest.add(1, 20)));
        assertThat(get(check.check(mail, ScanContext.NONE)).symbols()).hasSize(1);
        assertThat(storage.versions).containsOnly(0x04);
    }

    @Test
    void encryptedRulesUseTheirOwnKeys() throws Exception {
        KeyPair reading = KeyPair.generate(new SecureRandom());
        KeyPair writing = KeyPair.generate(new SecureRandom());
        ScriptedStorage reader = ScriptedStorage.start(0, reading);
        ScriptedStorage writer = ScriptedStorage.start(0, writing);
        open.add(reader);
        open.add(writer);
        FuzzyCheck check = check(rule("r", "read_servers = \"" + reader.address() + "\"; write_servers = \""
                + writer.address() + "\"; read_encryption_key = \"" + reading.publicKey().base32()
                + "\"; write_encryption_key = \"" + writing.publicKey().base32() + "\";"));
        byte[] mail = TestMail.text(9);
        assertThat(get(check.learn(mail, LearnRequest.add(1, 20))).whole()).isTrue();
        reader.values.putAll(writer.values);
        assertThat(get(check.check(mail, ScanContext.NONE)).symbols()).hasSize(1);
        assertThat(writer.questions()).isEqualTo(1);
        assertThat(reader.questions()).isEqualTo(1);
    }

    @Test
    void onlyRulesThatOptInShareFactsAboutExternalSenders() throws Exception {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        ScriptedStorage storage = ScriptedStorage.start(0, pair);
        open.add(storage);
        List<Integer> extensions = Collections.synchronizedList(new ArrayList<>());
        storage.script = command -> command.code() != CommandCode.CHECK || extensions.add(command.extensionsLength());
        String servers = "servers = \"" + storage.address() + "\"; encryption_key = \""
                + pair.publicKey().base32() + "\";";
        FuzzyCheck sharing = check(rule("r", servers + "no_share = false"));
        FuzzyCheck silent = check(rule("r", servers));
        ScanContext stranger = ScanContext.NONE.withIp(InetAddress.ofLiteral("192.0.2.1"));
        get(silent.check(TestMail.text(10), stranger));
        get(sharing.check(TestMail.text(10), stranger.withUser("me")));
        get(sharing.check(TestMail.text(10), ScanContext.NONE.withIp(InetAddress.ofLiteral("10.0.0.1"))));
        assertThat(extensions).hasSizeGreaterThanOrEqualTo(3).containsOnly(0);
        extensions.clear();
        get(sharing.check(TestMail.text(10), stranger));
        assertThat(extensions).isNotEmpty().containsOnly(2 + "sender.example".length() + 1 + 4);
    }

    @Test
    void mailOfWhitelistedAddressesIsNotChecked() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check("whitelist = \"192.0.2.0/24\";" + rule("r", "servers = \"" + storage.address()
                + "\""));
        ScanResult result = get(check.check(TestMail.text(11),
                ScanContext.NONE.withIp(InetAddress.ofLiteral("192.0.2.7"))));
        assertThat(result.whitelisted()).isTrue();
        assertThat(result.log()).singleElement().asString().contains("192.0.2.7");
        assertThat(storage.asked()).isZero();
    }

    @Test
    void everyServerOfEveryRuleLearns() throws Exception {
        ScriptedStorage one = open.storage();
        ScriptedStorage two = open.storage();
        ScriptedStorage three = open.storage();
        FuzzyCheck check = check(rule("a", "servers = \"" + one.address() + "," + two.address() + "\"")
                + rule("b", "servers = \"" + three.address() + "\"")
                + rule("ro", "read_only = true; servers = \"" + one.address() + "\""));
        LearnReport report = get(check.learn(TestMail.text(12), LearnRequest.add("denied", 7)));
        assertThat(report.flag()).isEqualTo(1);
        assertThat(report.whole()).isTrue();
        assertThat(report.rules()).extracting(LearnReport.RuleOutcome::rule).containsExactly("a", "b");
        assertThat(report.rules().getFirst().servers()).hasSize(2);
        assertThat(List.of(one, two, three)).allSatisfy(
                storage -> assertThat(storage.values.values()).containsExactly(7));
        assertThat(report.digests()).hasSize(1);

        assertThat(get(check.learn(TestMail.text(12), LearnRequest.delete(1))).whole()).isTrue();
        assertThat(List.of(one, two, three)).allSatisfy(storage -> assertThat(storage.values).isEmpty());
    }

    @Test
    void digestsAreRemovedFromTheNamedFlag() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("a", "servers = \"" + storage.address() + "\""));
        List<Digest> digests = get(check.learn(TestMail.text(13), LearnRequest.add(1, 7))).digests();
        List<Integer> flags = Collections.synchronizedList(new ArrayList<>());
        storage.script = command -> command.code() == CommandCode.STAT || flags.add(command.flag());
        assertThat(get(check.forget(digests, 2)).whole()).isTrue();
        assertThat(flags).isNotEmpty().containsOnly(2);
        assertThat(storage.values).isEmpty();
        assertThat(get(check.forget(List.of(), 1)).failure().orElseThrow().kind()).isEqualTo(Failure.Kind.NO_HASH);
    }

    @Test
    void rejectedLearnRequestsNameTheReason() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("a", "servers = \"" + storage.address() + "\""));
        byte[] mail = TestMail.text(14);
        assertThat(failure(check, mail, LearnRequest.add(0, 1))).isEqualTo(
                new Failure(Failure.Kind.NO_FLAG, "Unknown or missing flag"));
        assertThat(failure(check, mail, LearnRequest.add("NO_SUCH", 1)).kind()).isEqualTo(Failure.Kind.NO_FLAG);
        assertThat(failure(check, mail, LearnRequest.add(9, 1)).message()).isEqualTo(
                "No fuzzy rules matched for flag 9 (rule a has no such flag in fuzzy_map)");
        assertThat(failure(check, new byte[0], LearnRequest.add(1, 1)).message()).isEqualTo(
                "Empty body is not permitted");
        assertThat(failure(check, "Subject: x\n\n".getBytes(java.nio.charset.StandardCharsets.UTF_8),
                LearnRequest.add(1, 1)).message()).isEqualTo("No content to generate fuzzy for flag 1");
        assertThat(failure(check, mail, LearnRequest.add(1, 1).withSkip(new Skip(true, true))).kind())
                .isEqualTo(Failure.Kind.NO_CONTENT);
        assertThat(failure(check, mail, LearnRequest.add(1, 0)).kind()).isEqualTo(Failure.Kind.INVALID);
        assertThat(storage.asked()).isZero();
        assertThat(Failure.Kind.NO_ANSWER.httpStatus()).isEqualTo(503);
    }

    private static Failure failure(FuzzyCheck check, byte[] mail, LearnRequest request) throws Exception {
        return get(check.learn(mail, request)).failure().orElseThrow();
    }

    @Test
    void refusalsAreNotSuccess() throws Exception {
        ScriptedStorage storage = open.storage();
        storage.error = 503;
        FuzzyCheck check = check(rule("a", "servers = \"" + storage.address() + "\""),
                FuzzyCheckOptions.DEFAULT.withRetryQueue(scratch.resolve("queue")));
        LearnReport report = get(check.learn(TestMail.text(15), LearnRequest.add(1, 7)));
        assertThat(report.failure()).contains(new Failure(Failure.Kind.REFUSED, "process fuzzy error"));
        assertThat(report.rules().getFirst().servers().getFirst()).satisfies(server -> {
            assertThat(server.status()).isEqualTo(Status.REFUSED);
            assertThat(server.code()).isEqualTo(503);
            assertThat(server.queued()).isZero();
        });
        storage.error = 401;
        assertThat(failure(check, TestMail.text(15), LearnRequest.add(1, 7)).kind())
                .isEqualTo(Failure.Kind.SKIPPED_BY_SERVER);
        assertThat(check.queued()).isZero();
    }

    @Test
    void updateThatCannotBeStoredNowIsSentAgain() throws Exception {
        ScriptedStorage storage = open.storage();
        storage.error = 500;
        String rules = rule("a", "servers = \"" + storage.address() + "\"");
        FuzzyCheck check = check(rules, FuzzyCheckOptions.DEFAULT.withRetryQueue(scratch.resolve("queue")));
        LearnReport report = get(check.learn(TestMail.text(15), LearnRequest.add(1, 7)));
        assertThat(report.failure()).contains(new Failure(Failure.Kind.NO_ANSWER, "process fuzzy error"));
        assertThat(report.rules().getFirst().servers().getFirst()).satisfies(server -> {
            assertThat(server.status()).isEqualTo(Status.NO_ANSWER);
            assertThat(server.code()).isEqualTo(500);
            assertThat(server.queued()).isEqualTo(1);
            assertThat(server.message()).contains("could not be stored now (500)");
        });
        long before = writes(storage);
        await(() -> writes(storage) > before);
        assertThat(check.queued()).isEqualTo(1);
        storage.error = 0;
        await(() -> check.queued() == 0);
        assertThat(storage.values.values()).containsExactly(7);
        assertThat(check.refusedUpdates()).isZero();

        storage.error = 500;
        assertThat(get(check.learn(TestMail.text(16), LearnRequest.add(1, 7))).queued()).isEqualTo(1);
        storage.error = 503;
        await(() -> check.queued() == 0);
        assertThat(check.refusedUpdates()).isEqualTo(1);
    }

    private static long writes(ScriptedStorage storage) {
        return storage.commands.stream().filter(code -> code == CommandCode.WRITE).count();
    }

    /** Requests arrive and replies do not, so that each attempt could add the weight once more. */
    @Test
    void queuedUpdatesAreSentOnlyToAServerThatAnswers() throws Exception {
        ScriptedStorage storage = open.storage();
        List<Integer> probes = Collections.synchronizedList(new ArrayList<>());
        storage.script = command -> {
            if (command.code() == CommandCode.STAT && command.hasShingles()) {
                probes.add(command.tag());
            }
            return false;
        };
        FuzzyCheck check = check("max_errors = 1000;" + rule("a", "retransmits = 0; servers = \"" + storage.address()
                + "\""), FuzzyCheckOptions.DEFAULT.withRetryQueue(scratch.resolve("queue")));
        assertThat(get(check.learn(TestMail.text(15), LearnRequest.add(1, 7))).queued()).isEqualTo(1);
        assertThat(writes(storage)).isEqualTo(1);
        await(() -> probes.stream().distinct().count() >= 3);
        assertThat(writes(storage)).isEqualTo(1);
        storage.script = command -> true;
        await(() -> check.queued() == 0);
        assertThat(storage.values.values()).containsExactly(7);
    }

    @Test
    void forgetWaitsForALearnInFlight() throws Exception {
        ScriptedStorage storage = open.storage();
        byte[] mail = TestMail.text(15);
        FuzzyCheck check = check(rule("a", "timeout = 1s; retransmits = 0; servers = \"" + storage.address() + "\""),
                FuzzyCheckOptions.DEFAULT.withRetryQueue(scratch.resolve("queue")));
        List<Digest> digests = get(check.rehearse(mail, LearnRequest.add(1, 7))).digests();
        storage.script = command -> command.code() != CommandCode.WRITE;
        CompletableFuture<LearnReport> learned = check.learn(mail, LearnRequest.add(1, 7));
        await(() -> writes(storage) == 1);
        CompletableFuture<LearnReport> forgotten = check.forget(digests, 1);
        assertThat(get(learned).queued()).isEqualTo(1);
        assertThat(get(forgotten).queued()).as("behind the learn").isEqualTo(1);
        assertThat(storage.commands).doesNotContain(CommandCode.DEL);
        storage.script = command -> true;
        await(() -> check.queued() == 0);
        assertThat(storage.commands).contains(CommandCode.DEL);
        assertThat(storage.values).isEmpty();
    }

    /** A storage recognizes a repetition by port and tag, so both survive the end of the process. */
    @Test
    void updatesThatAStorageHasCountOnceAlsoAfterARestart() throws Exception {
        ScriptedStorage storage = open.storage();
        String rules = rule("a", "retransmits = 1; servers = \"" + storage.address() + "\"");
        FuzzyCheckOptions options = FuzzyCheckOptions.DEFAULT.withRetryQueue(scratch.resolve("queue"));
        storage.losesConfirmations = true;
        FuzzyCheck first = check(rules, options);
        for (int i = 0; i < 5; i++) {
            assertThat(get(first.learn(TestMail.text(40 + i), LearnRequest.add(1, 7))).queued()).isEqualTo(1);
        }
        assertThat(storage.values).hasSize(5);
        first.close();
        storage.losesConfirmations = false;
        FuzzyCheck second = check(rules, options);
        // Other requests do not take the port away.
        get(second.check(TestMail.text(50), ScanContext.NONE));
        await(() -> second.queued() == 0);
        assertThat(storage.values.values()).containsOnly(7).hasSize(5);
    }

    @Test
    void anUnansweredUpdateWithoutAQueueMayStillCount() throws Exception {
        ScriptedStorage storage = open.storage();
        storage.losesConfirmations = true;
        FuzzyCheck check = check(rule("a", "retransmits = 0; servers = \"" + storage.address() + "\""),
                FuzzyCheckOptions.DEFAULT);
        LearnReport report = get(check.learn(TestMail.text(45), LearnRequest.add(1, 7)));
        assertThat(report.rules().getFirst().servers().getFirst().message()).contains("may still be stored");
        assertThat(storage.values).hasSize(1);
    }

    @Test
    void missedUpdatesReachTheServerAfterARestart() throws Exception {
        ScriptedStorage alive = open.storage();
        int port = FreePort.find();
        String rules = rule("a", "retransmits = 1; servers = \"" + alive.address() + ",127.0.0.1:" + port + "\"");
        FuzzyCheckOptions options = FuzzyCheckOptions.DEFAULT.withRetryQueue(scratch.resolve("queue"));
        byte[] mail = TestMail.text(16);
        FuzzyCheck first = check(rules, options);
        LearnReport report = get(first.learn(mail, LearnRequest.add(1, 7)));
        assertThat(report.success()).as("one server confirmed the update").isTrue();
        assertThat(report.whole()).isFalse();
        assertThat(report.queued()).isEqualTo(1);
        assertThat(report.rules().getFirst().servers().get(1)).satisfies(server -> {
            assertThat(server.status()).isEqualTo(Status.NO_ANSWER);
            assertThat(server.message()).contains("127.0.0.1:" + port);
        });
        LearnReport again = get(first.learn(mail, LearnRequest.add(1, 5)));
        assertThat(again.rules().getFirst().servers().get(1).queued()).as("behind the first one").isEqualTo(1);
        assertThat(first.queued()).isEqualTo(2);
        first.close();

        ScriptedStorage revived = ScriptedStorage.start(port, null);
        open.add(revived);
        FuzzyCheck second = check(rules, options);
        await(() -> second.queued() == 0);
        assertThat(revived.values.values()).containsExactly(12);
        assertThat(alive.values.values()).containsExactly(12);
        assertThat(Files.exists(scratch.resolve("queue"))).isTrue();
    }

    @Test
    void keepsQueuedUpdatesWhileServiceRecordsAreUnavailable() throws Exception {
        int port = FreePort.find();
        java.util.concurrent.atomic.AtomicBoolean away = new java.util.concurrent.atomic.AtomicBoolean();
        Resolver resolver = new Resolver() {
            @Override
            public List<InetAddress> addresses(String host) {
                return List.of(InetAddress.getLoopbackAddress());
            }

            @Override
            public List<Location> services(String service, String domain) throws UnknownHostException {
                if (away.get()) {
                    throw new UnknownHostException(domain);
                }
                return List.of(new Location("found." + domain, port, 10, 5));
            }
        };
        FuzzyCheckOptions options = FuzzyCheckOptions.DEFAULT.withResolver(resolver)
                .withRetryQueue(scratch.resolve("queue"));
        String rules = rule("a", "retransmits = 0; servers = \"service=fuzzy+srv.example\"");
        FuzzyCheck first = check(rules, options);
        assertThat(get(first.learn(TestMail.text(19), LearnRequest.add(1, 7))).queued()).isEqualTo(1);
        first.close();
        away.set(true);
        ScriptedStorage revived = ScriptedStorage.start(port, null);
        open.add(revived);
        FuzzyCheck second = check(rules, options);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1500));
        assertThat(second.queued()).as("the attempt failed and the update stays queued").isEqualTo(1);
        away.set(false);
        await(() -> second.queued() == 0);
        assertThat(revived.values.values()).containsExactly(7);
    }

    @Test
    void learningFailsIfNoServerAnswers() throws Exception {
        FuzzyCheck check = check(rule("a", "retransmits = 0; servers = \"127.0.0.1:" + FreePort.find() + "\""),
                FuzzyCheckOptions.DEFAULT.withRetryQueue(scratch.resolve("queue")));
        LearnReport report = get(check.learn(TestMail.text(17), LearnRequest.add(1, 7)));
        assertThat(report.failure().orElseThrow().kind()).isEqualTo(Failure.Kind.NO_ANSWER);
        assertThat(report.queued()).isEqualTo(1);
        assertThat(report.rules().getFirst().servers().getFirst().message()).contains("nothing listens");
    }

    @Test
    void conditionsApplyToTheirRuleOnly() throws Exception {
        ScriptedStorage storage = open.storage();
        String servers = "servers = \"" + storage.address() + "\"; learn_condition = ";
        FuzzyCheckOptions options = FuzzyCheckOptions.DEFAULT.withConditions((rule, script) -> switch (script) {
            case "no" -> subject -> LearnCondition.Decision.skip("not today");
            case "two" -> subject -> LearnCondition.Decision.learnAs(2);
            case "huge" -> subject -> new LearnCondition.Decision(true, OptionalLong.of(300), "");
            case "bad" -> throw new IllegalArgumentException("line 3: no");
            default -> subject -> {
                throw new IllegalStateException("broken");
            };
        });
        FuzzyCheck check = check(rule("a", servers + "\"no\"") + rule("b", servers + "\"two\"")
                + rule("c", servers + "\"throws\"") + rule("d", servers + "\"huge\"") + rule("e", "servers = \""
                        + storage.address() + "\""),
                options);
        List<Integer> flags = Collections.synchronizedList(new ArrayList<>());
        storage.script = command -> command.code() == CommandCode.STAT || command.code() == CommandCode.PING
                || flags.add(command.flag());
        LearnReport rehearsal = get(check.rehearse(TestMail.text(18), LearnRequest.add(1, 7)));
        assertThat(flags).isEmpty();
        LearnReport report = get(check.learn(TestMail.text(18), LearnRequest.add(1, 7)));
        assertThat(rehearsal.rules()).extracting(LearnReport.RuleOutcome::decision)
                .isEqualTo(report.rules().stream().map(LearnReport.RuleOutcome::decision).toList());
        assertThat(rehearsal.digests()).isEqualTo(report.digests());
        assertThat(report.rules()).extracting(LearnReport.RuleOutcome::decision).containsExactly(
                Decision.SKIPPED_BY_CONDITION, Decision.LEARNS, Decision.SKIPPED_BY_CONDITION,
                Decision.LEARNS, Decision.LEARNS);
        assertThat(report.rules()).extracting(LearnReport.RuleOutcome::reason)
                .containsSequence("not today")
                .anyMatch(reason -> reason.contains("broken"));
        // The storage does not say that it takes such a flag, so it gets none.
        assertThat(report.rules().get(3).servers()).singleElement().satisfies(server -> {
            assertThat(server.status()).isEqualTo(LearnReport.Status.REFUSED);
            assertThat(server.message()).contains("flag 300 is not sent", "it takes no flags beyond 255");
        });
        assertThat(flags).contains(1, 2).containsOnly(1, 2);
        assertThat(report.success()).isFalse();

        FuzzyCheck none = check(rule("a", servers + "\"no\""), options);
        assertThat(failure(none, TestMail.text(18), LearnRequest.add(1, 7))).isEqualTo(
                new Failure(Failure.Kind.CONDITION, "Message is conditionally skipped for flag 1: not today"));
        assertThatThrownBy(() -> check(rule("a", servers + "\"bad\""), options)).isInstanceOf(
                IllegalArgumentException.class).hasMessageContaining("line 3");
        assertThatThrownBy(() -> check(rule("a", servers + "\"no\""))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("learn_condition");
    }

    @Test
    void closedPortDoesNotFailChecks() throws Exception {
        ScriptedStorage alive = open.storage();
        FuzzyCheck check = check(rule("a", "servers = \"127.0.0.1:" + FreePort.find() + "," + alive.address()
                + "\""));
        for (int i = 0; i < 6; i++) {
            ScanResult result = get(check.check(TestMail.text(20 + i), ScanContext.NONE));
            assertThat(result.complete()).as("mail " + i).isTrue();
        }
        assertThat(alive.asked()).isGreaterThanOrEqualTo(6);
    }

    @Test
    void silentServerIsAvoidedUntilItAnswers() throws Exception {
        ScriptedStorage silent = open.storage();
        ScriptedStorage alive = open.storage();
        silent.script = command -> false;
        FuzzyCheck check = check(rule("a", "servers = \"" + silent.address() + "," + alive.address() + "\""));
        List<CompletableFuture<ScanResult>> first = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            first.add(check.check(TestMail.text(30 + i), ScanContext.NONE));
        }
        for (CompletableFuture<ScanResult> result : first) {
            assertThat(get(result).complete()).isTrue();
        }
        long before = silent.asked();
        long start = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            assertThat(get(check.check(TestMail.text(40 + i), ScanContext.NONE)).complete()).isTrue();
        }
        assertThat(silent.asked()).as("almost no request goes there").isLessThanOrEqualTo(before + 3);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        silent.script = command -> true;
        await(() -> {
            check.check(TestMail.text(31), ScanContext.NONE).join();
            return silent.asked() > before;
        });
    }

    @Test
    void onlyServerIsClosedOffAndRevived() throws Exception {
        ScriptedStorage storage = open.storage();
        storage.script = command -> false;
        FuzzyCheck check = check("max_errors = 2;" + rule("a", "retransmits = 0; servers = \""
                + storage.address() + "\""));
        byte[] mail = TestMail.text(50);
        assertThat(get(check.check(mail, ScanContext.NONE)).failures().getFirst().message()).contains("no answer");
        get(check.check(mail, ScanContext.NONE));
        long before = storage.asked();
        ScanResult closed = get(check.check(mail, ScanContext.NONE));
        assertThat(closed.failures().getFirst().message()).contains("unavailable after 2 failures");
        assertThat(storage.asked()).isEqualTo(before);
        storage.script = command -> true;
        await(() -> check.check(mail, ScanContext.NONE).join().complete());
    }

    @Test
    void hedgedRequestGoesToASecondServer() throws Exception {
        ScriptedStorage slow = open.storage();
        ScriptedStorage fast = open.storage();
        FuzzyCheck check = check(rule("a", "timeout = 10s; hedge_after = 20ms; servers = \"master-slave:"
                + slow.address() + "," + fast.address() + "\""));
        get(check.check(TestMail.text(60), ScanContext.NONE));
        slow.script = command -> false;
        long start = System.nanoTime();
        assertThat(get(check.check(TestMail.text(61), ScanContext.NONE)).complete()).isTrue();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        assertThat(fast.questions()).isEqualTo(1);
    }

    @Test
    void shardsShareTheHashes() throws Exception {
        ScriptedStorage one = open.storage();
        ScriptedStorage two = open.storage();
        FuzzyCheck check = check(rule("a", "mime_types = [\"*\"]; servers = \"hash:" + one.address() + ","
                + two.address() + "\""));
        for (int i = 0; i < 20; i++) {
            assertThat(get(check.learn(TestMail.withAttachment(1000 + 2 * i), LearnRequest.add(1, 20))).whole())
                    .isTrue();
        }
        assertThat(one.values.size() + two.values.size()).isEqualTo(40);
        assertThat(one.values).isNotEmpty().doesNotContainKeys(two.values.keySet().toArray(String[]::new));
        assertThat(two.values).isNotEmpty();
        for (int i = 0; i < 20; i++) {
            ScanResult result = get(check.check(TestMail.withAttachment(1000 + 2 * i), ScanContext.NONE));
            assertThat(result.complete()).isTrue();
            assertThat(result.matches()).hasSize(2);
        }
        two.script = command -> false;
        ScanResult half = get(check.check(TestMail.withAttachment(1000), ScanContext.NONE));
        assertThat(half.complete()).isFalse();
        assertThat(half.failures()).as("the shard that is silent is named, not the one that answered").isNotEmpty()
                .allSatisfy(failure -> {
                    assertThat(failure.server()).isEqualTo(two.address());
                    assertThat(failure.message()).contains(two.address()).doesNotContain(one.address());
                });
    }

    @Test
    void tcpCarriesChecksAndFallsBack() throws Exception {
        ScriptedStorage storage = open.storage().withTcp();
        FuzzyCheck check = check(rule("a", "tcp { enabled = true; retry_delay = 10s; } servers = \""
                + storage.address() + "\""));
        await(() -> {
            check.check(TestMail.text(70), ScanContext.NONE).join();
            return storage.transports.contains("tcp");
        });
        int before = storage.transports.size();
        assertThat(get(check.learn(TestMail.text(70), LearnRequest.add(1, 20))).whole()).isTrue();
        assertThat(storage.transports.subList(before, storage.transports.size())).containsExactly("udp");
        assertThat(get(check.check(TestMail.text(70), ScanContext.NONE)).symbols()).hasSize(1);
        assertThat(storage.transports.getLast()).isEqualTo("tcp");
        storage.hangUp();
        for (int i = 0; i < 20; i++) {
            assertThat(get(check.check(TestMail.text(70), ScanContext.NONE)).symbols()).hasSize(1);
        }
    }

    @Test
    void tcpStartsUnderHighLoad() throws Exception {
        ScriptedStorage storage = open.storage().withTcp();
        FuzzyCheck check = check(rule("a", "tcp { auto = true; threshold = 20; window = 20ms; } servers = \""
                + storage.address() + "\""));
        for (int i = 0; i < 3; i++) {
            get(check.check(TestMail.text(75), ScanContext.NONE));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        assertThat(storage.transports).as("ten checks per second are below the threshold").containsOnly("udp");
        await(() -> {
            check.check(TestMail.text(75), ScanContext.NONE).join();
            return storage.transports.contains("tcp");
        });
    }

    @Test
    void missingTcpListenerDoesNotFailChecks() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("a", "tcp = true; servers = \"" + storage.address() + "\""),
                FuzzyCheckOptions.DEFAULT.withExecutor(Runnable::run));
        for (int i = 0; i < 5; i++) {
            assertThat(get(check.check(TestMail.text(76), ScanContext.NONE)).complete()).isTrue();
        }
        assertThat(storage.transports).containsOnly("udp");
        assertThat(storage.questions()).isEqualTo(5);
    }

    @Test
    void ignoresStrayPackets() throws Exception {
        Random random = new Random(1);
        try (DatagramPeer storage = DatagramPeer.start((self, _, from) -> {
            for (int length : new int[]{0, 1, 16, 95, 96, 97, 143, 144, 192, 288, 1500}) {
                byte[] out = new byte[length];
                random.nextBytes(out);
                self.send(out, from);
            }
        })) {
            FuzzyCheck check = check(rule("a", "retransmits = 1; servers = \"127.0.0.1:" + storage.port()
                    + "\""));
            ScanResult result = get(check.check(TestMail.text(77), ScanContext.NONE));
            assertThat(result.symbols()).isEmpty();
            assertThat(result.failures()).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void echoedRequestIsNotAnAnswer(boolean encrypted) throws Exception {
        EchoPeer echo = open.add(EchoPeer.start());
        String servers = "retransmits = 0; servers = \"127.0.0.1:" + echo.port() + "\";" + (encrypted
                ? "encryption_key = \"" + KeyPair.generate(new SecureRandom()).publicKey().base32() + "\";"
                : "");
        FuzzyCheck datagrams = check(rule("a", servers));
        for (int i = 0; i < 10; i++) {
            ScanResult result = get(datagrams.check(TestMail.text(200 + i), ScanContext.NONE));
            assertThat(result.complete()).isFalse();
            assertThat(result.symbols()).isEmpty();
            String expected = i == 0 && encrypted ? "returns requests unchanged" : "127.0.0.1:" + echo.port();
            assertThat(result.failures()).singleElement()
                    .satisfies(failure -> assertThat(failure.message()).contains(expected));
        }
        LearnReport learned = get(datagrams.learn(TestMail.text(240), LearnRequest.add(1, 20)));
        assertThat(learned.failure()).isPresent();
        assertThat(echo.transports).isNotEmpty().containsOnly("udp");

        FuzzyCheck frames = check(rule("a", "tcp { enabled = true; retry_delay = 1ms; }" + servers));
        await(() -> {
            assertThat(frames.check(TestMail.text(250), ScanContext.NONE).join().complete()).isFalse();
            return echo.transports.contains("tcp");
        });
    }

    /**
     * Two servers share a key, and a relay in front of both forwards replies. The reply of one server must not count
     * for the other.
     */
    @Test
    void answerOfOneServerDoesNotCountForAnother() throws Exception {
        KeyPair pair = KeyPair.generate(new SecureRandom());
        ScriptedStorage storage = open.add(ScriptedStorage.start(0, pair));
        // This makes the client use the same form for both.
        storage.multiFlag = false;
        AtomicReference<SocketAddress> known = new AtomicReference<>();
        AtomicReference<SocketAddress> asker = new AtomicReference<>();
        AtomicReference<DatagramPeer> front = new AtomicReference<>();
        SocketAddress storageAddress = new InetSocketAddress(InetAddress.getLoopbackAddress(), storage.port());
        try (DatagramPeer other = DatagramPeer.start((_, _, from) -> asker.set(from));
                DatagramPeer behind = DatagramPeer.start((_, reply, _) -> {
                    Objects.requireNonNull(front.get()).send(reply, Objects.requireNonNull(known.get()));
                    SocketAddress asking = asker.get();
                    if (asking != null) {
                        other.send(reply, asking);
                    }
                });
                DatagramPeer one = DatagramPeer.start((_, request, from) -> {
                    known.set(from);
                    behind.send(request, storageAddress);
                })) {
            front.set(one);
            FuzzyCheck check = check(rule("a", "retransmits = 2; servers = \"127.0.0.1:" + one.port()
                    + ",127.0.0.1:" + other.port() + "\"; encryption_key = \"" + pair.publicKey().base32()
                    + "\";"));
            await(() -> asker.get() != null);
            LearnReport report = get(check.learn(TestMail.text(260), LearnRequest.add(1, 20)));
            assertThat(storage.values).hasSize(1);
            assertThat(report.whole()).isFalse();
        }
    }

    @Test
    void findsServersByServiceRecordsAndRetriesLookups() throws Exception {
        ScriptedStorage storage = open.storage();
        List<String> asked = Collections.synchronizedList(new ArrayList<>());
        Resolver resolver = new Resolver() {
            @Override
            public List<InetAddress> addresses(String host) throws UnknownHostException {
                asked.add(host);
                long times = asked.stream().filter(host::equals).count();
                if (host.equals("late.example") && times == 1) {
                    throw new UnknownHostException(host);
                }
                if (host.equals("late.example") && times == 2) {
                    throw new IllegalStateException("a bug in the resolver, after which lookups must continue");
                }
                return List.of(InetAddress.ofLiteral("::1"), InetAddress.getLoopbackAddress());
            }

            @Override
            public List<Location> services(String service, String domain) {
                if (asked.add(domain) && asked.stream().filter(domain::equals).count() == 1) {
                    throw new IllegalStateException("a bug in the resolver, after which lookups must continue");
                }
                return List.of(new Location("found." + domain, storage.port(), 10, 5));
            }
        };
        FuzzyCheckOptions options = FuzzyCheckOptions.DEFAULT.withResolver(resolver);
        FuzzyCheck check = check(rule("a", "servers = \"service=fuzzy+srv.example\""), options);
        await(() -> check.check(TestMail.text(80), ScanContext.NONE).join().complete());
        assertThat(asked).contains("found.srv.example");

        FuzzyCheck late = check(rule("a", "servers = \"late.example:" + storage.port() + "\""), options);
        assertThat(get(late.check(TestMail.text(81), ScanContext.NONE)).failures().getFirst().message())
                .isEqualTo("no address is known for late.example:" + storage.port());
        await(() -> late.check(TestMail.text(81), ScanContext.NONE).join().complete());
    }

    @Test
    void rejectsTooManyMailsAtOnce() throws Exception {
        ScriptedStorage storage = open.storage();
        storage.script = command -> false;
        FuzzyCheck check = check(rule("a", "servers = \"" + storage.address() + "\""),
                FuzzyCheckOptions.DEFAULT.withMaxWaiting(2));
        CompletableFuture<ScanResult> first = check.check(TestMail.text(90), ScanContext.NONE);
        CompletableFuture<ScanResult> second = check.check(TestMail.text(91), ScanContext.NONE);
        assertThatThrownBy(() -> get(check.check(TestMail.text(92), ScanContext.NONE)))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(OverloadedException.class);
        assertThat(get(first).complete()).isFalse();
        assertThat(get(second).complete()).isFalse();
        get(check.check(TestMail.text(93), ScanContext.NONE));
    }

    @Test
    void anErrorFreesThePlaceOfItsMail() throws Exception {
        ScriptedStorage storage = open.storage();
        String servers = "servers = \"" + storage.address() + "\"; learn_condition = \"deep\"";
        FuzzyCheck check = check(rule("a", servers), FuzzyCheckOptions.DEFAULT.withMaxWaiting(1)
                .withConditions((rule, script) -> subject -> {
                    throw new StackOverflowError();
                }));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> get(check.learn(TestMail.text(96), LearnRequest.add(1, 7))))
                    .isInstanceOf(ExecutionException.class).hasCauseInstanceOf(StackOverflowError.class);
        }
        assertThat(get(check.check(TestMail.text(96), ScanContext.NONE)).complete()).isTrue();
    }

    /** No rule checks or learns such a mail, not even the first one. */
    @Test
    void reportsAMailAboveTheCostLimitAsNotHashed() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check(rule("a", "servers = \"" + storage.address() + "\"")
                + rule("b", "servers = \"" + storage.address() + "\""));
        byte[] mail = ("Content-Type: text/html\n\n" + "x".repeat(32_000) + "<?>".repeat(8_000))
                .getBytes(StandardCharsets.US_ASCII);
        ScanResult result = get(check.check(mail, ScanContext.NONE));
        assertThat(result.notHashed()).hasValueSatisfying(why -> assertThat(why).contains("would read more than"));
        assertThat(result.complete()).isFalse();
        assertThat(result.asked()).isEmpty();
        for (LearnReport report : List.of(get(check.learn(mail, LearnRequest.add(1, 1))),
                get(check.rehearse(mail, LearnRequest.add(1, 1))), get(check.learn(mail, LearnRequest.delete(1))))) {
            assertThat(report.failure()).hasValueSatisfying(failure -> {
                assertThat(failure.kind()).isEqualTo(LearnReport.Failure.Kind.NOT_HASHED);
                assertThat(failure.message()).startsWith("The mail is not hashed: hashing would read more than");
            });
            assertThat(report.digests()).isEmpty();
        }
        assertThatThrownBy(() -> check.hashes(mail, 1)).isInstanceOf(NotHashedException.class);
        assertThat(storage.commands).doesNotContain(CommandCode.CHECK, CommandCode.WRITE,
                CommandCode.DEL);
    }

    @Test
    void closingCompletesOpenChecks() throws Exception {
        ScriptedStorage storage = open.storage();
        storage.script = command -> false;
        FuzzyCheck check = check(rule("a", "timeout = 60s; servers = \"" + storage.address() + "\""),
                FuzzyCheckOptions.DEFAULT.withExecutor(Runnable::run));
        CompletableFuture<ScanResult> open = check.check(TestMail.text(94), ScanContext.NONE);
        check.close();
        assertThat(get(open).complete()).isFalse();
        assertThatThrownBy(() -> get(check.check(TestMail.text(94), ScanContext.NONE)))
                .isInstanceOf(ExecutionException.class);
    }

    @Test
    void disabledModuleDoesNothing() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = check("enabled = false;" + rule("a", "servers = \"" + storage.address() + "\""));
        assertThat(get(check.check(TestMail.text(95), ScanContext.NONE)).symbols()).isEmpty();
        assertThat(failure(check, TestMail.text(95), LearnRequest.add(1, 1)).message()).isEqualTo("Module disabled");
    }
}
