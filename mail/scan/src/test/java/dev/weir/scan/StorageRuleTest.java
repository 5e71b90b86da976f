package dev.weir.scan;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.net.HostPort;
import dev.weir.scan.LearnReport.HashOutcome;
import dev.weir.scan.ScanResult.AskedHash;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.score.FuzzyMatch;
import dev.weir.scan.score.KindOptions;
import dev.weir.testkit.ScriptedStorage;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.ErrorCode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/** Tests the rule of one storage, which needs no configuration. */
class StorageRuleTest {
    private static final byte[] MAIL = TestMail.withAttachment(1);
    private static final HashRule RULE = HashRule.shipped().toBuilder().mimeTypes(List.of("*")).minBytes(16)
            .build();

    @RegisterExtension
    final Opened open = new Opened();

    private ScriptedStorage storage;
    private FuzzyCheck check;

    @BeforeEach
    void start() throws Exception {
        storage = open.storage();
        storage.keepsFlags = true;
        check = check(RULE, Duration.ofSeconds(20));
    }

    private FuzzyCheck check(HashRule hashing, Duration timeout) throws Exception {
        return open.add(FuzzyCheck.open(FuzzyCheckSettings.ofStorage(new HostPort("127.0.0.1", storage.port()),
                Optional.empty(), hashing, KindOptions.withoutRules(hashing.kinds()), timeout, 0),
                MailHasher.standard(), FuzzyCheckOptions.DEFAULT.quietly()));
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(60, TimeUnit.SECONDS);
    }

    @Test
    void learnsFindsAndForgetsUnderEachFlag() throws Exception {
        for (int flag : new int[]{1, 255}) {
            LearnReport report = get(check.learn(MAIL, LearnRequest.add(flag, 7)));
            assertThat(report.success()).isTrue();
            assertThat(report.hashes()).extracting(HashOutcome::kind, HashOutcome::accepted)
                    .containsExactly(tuple("txt", true), tuple("bin", true));
            ScanResult found = get(check.check(MAIL, ScanContext.NONE));
            assertThat(found.matches()).extracting(FuzzyMatch::symbol, FuzzyMatch::flag, FuzzyMatch::value)
                    .containsOnly(tuple("FLAG_" + flag, (long) flag, 7));
            assertThat(found.asked()).allMatch(asked -> asked.match().isPresent() && asked.exact());
            assertThat(get(check.forget(report.digests(), flag)).hashes()).hasSize(2).allMatch(HashOutcome::accepted)
                    .extracting(HashOutcome::kind).containsOnly("");
            assertThat(get(check.check(MAIL, ScanContext.NONE)).asked()).noneMatch(asked -> asked.match().isPresent());
        }
    }

    @Test
    void findsDigestsWithoutAMail() throws Exception {
        List<Digest> digests = get(check.learn(MAIL, LearnRequest.add(3, 7))).digests();
        Digest unknown = Digest.of(new byte[64]);
        List<AskedHash> asked = get(check.find(List.of(digests.getFirst(), unknown))).asked();
        assertThat(asked).extracting(AskedHash::digest).containsExactly(digests.getFirst(), unknown);
        assertThat(asked).extracting(hash -> Holding.of(hash).isOn(3)).containsExactly(true, false);
        storage.error = ErrorCode.FORBIDDEN;
        assertThat(get(check.find(digests)).failures()).allMatch(ScanResult.UpstreamFailure::isRefusal).isNotEmpty();
    }

    @Test
    void countsTheKindsThatTheStorageFindsNear() throws Exception {
        FuzzyCheck kinds = check(HashRule.shipped().toBuilder().rspamdKinds(false).kinds(HashKind.beyondRspamd())
                .build(), Duration.ofSeconds(20));
        LearnReport report = get(kinds.learn(KindRulesTest.mail("", "a text"), LearnRequest.add(4, 9)));
        assertThat(report.hashes()).extracting(HashOutcome::kind).contains("source1", "subject1");
        assertThat(get(kinds.check(KindRulesTest.mail("", "a text"), ScanContext.NONE)).matches())
                .hasSize(report.hashes().size())
                .allSatisfy(match -> assertThat(match.symbol()).isEqualTo("FLAG_4"));
    }

    @Test
    void saysOfEachHashWhyItIsNotConfirmed() throws Exception {
        storage.error = ErrorCode.FORBIDDEN;
        assertThat(get(check.learn(MAIL, LearnRequest.add(1, 7))).hashes()).hasSize(2)
                .allMatch(hash -> !hash.accepted() && hash.error() == ErrorCode.FORBIDDEN && hash.trouble().isEmpty())
                .allMatch(hash -> hash.describe().equals("not allowed for this client (503)"));
        storage.script = command -> false;
        assertThat(get(check(RULE, Duration.ofMillis(50)).learn(MAIL, LearnRequest.add(1, 7))).hashes())
                .hasSize(2).allMatch(hash -> hash.describe().startsWith("no answer from "));
    }

    @Test
    void sendsOnlyWhatItsCallerAsks() throws Exception {
        get(check.learn(TestMail.text(1), LearnRequest.add(1, 7)));
        assertThat(storage.commands).containsExactly(CommandCode.WRITE);
    }
}
