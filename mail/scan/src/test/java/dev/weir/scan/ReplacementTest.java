package dev.weir.scan;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.weir.config.source.ConfigException;
import dev.weir.hash.MailHasher;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.TestSettings;
import dev.weir.testkit.ScriptedStorage;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/** Tests replacing the rules while mails are in progress. */
final class ReplacementTest {
    private static final byte[] MAIL = TestMail.text(7);

    @TempDir
    Path scratch;

    @RegisterExtension
    final Opened open = new Opened();

    private static FuzzyCheckSettings settings(int weight, String servers, String options) throws ConfigException {
        return TestSettings.of("group \"fuzzy\" { symbols { DENIED { weight = " + weight + " } } }\n"
                + "fuzzy_check { timeout = 200ms; revive_time = 300ms; max_errors = 2; rule \"a\" { min_bytes = 10; "
                + "servers = \"" + servers + "\"; " + options
                + " hits_limit = 20; fuzzy_map { DENIED { flag = 1 } } } }");
    }

    private FuzzyCheck open(FuzzyCheckSettings settings) throws IOException {
        FuzzyCheck check = FuzzyCheck.open(settings, MailHasher.standard(),
                FuzzyCheckOptions.DEFAULT.withRetryQueue(scratch.resolve("queue")));
        open.add(check);
        return check;
    }

    private static CompletableFuture<@Nullable Void> replace(FuzzyCheck check, FuzzyCheckSettings settings) {
        try (FuzzyCheck.Replacement replacement = check.prepare(settings, Optional.empty())) {
            return replacement.apply();
        }
    }

    private static <T extends @Nullable Object> T get(CompletableFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    private static double score(FuzzyCheck check) throws Exception {
        return get(check.check(MAIL, ScanContext.NONE)).score();
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(1)).until(condition);
    }

    @Test
    void mailsInProgressFinishUnderTheOldRules() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = open(settings(10, storage.address(), "timeout = 100ms; retransmits = 100;"));
        get(check.learn(MAIL, LearnRequest.add(1, 40)));
        assertThat(score(check)).isCloseTo(10, within(0.1));
        storage.script = command -> false;
        CompletableFuture<ScanResult> underWay = check.check(MAIL, ScanContext.NONE);
        long before = storage.asked();
        await(() -> storage.asked() > before);
        CompletableFuture<@Nullable Void> ended = replace(check, settings(3, storage.address(), ""));
        assertThat(check.settings().symbols().symbol("DENIED").weight()).isEqualTo(3);
        assertThat(ended).as("the mail is under the old rules").isNotDone();
        assertThat(underWay).isNotDone();
        storage.script = command -> true;
        assertThat(get(underWay).score()).isCloseTo(10, within(0.1));
        get(ended);
        assertThat(score(check)).isCloseTo(3, within(0.1));
    }

    @Test
    void changingRulesUnderLoadLosesNothing() throws Exception {
        ScriptedStorage one = open.storage();
        ScriptedStorage other = open.storage();
        FuzzyCheck check = open(settings(10, one.address(), ""));
        get(check.learn(MAIL, LearnRequest.add(1, 40)));
        other.values.putAll(one.values);
        List<CompletableFuture<ScanResult>> results = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < 20; i++) {
                results.add(check.check(MAIL, ScanContext.NONE));
            }
            var _ = replace(check, settings(10 + round, (round % 2 == 0 ? other : one).address(), ""));
        }
        for (CompletableFuture<ScanResult> result : results) {
            assertThat(get(result).complete()).isTrue();
            assertThat(get(result).score()).isBetween(9.9, 29.1);
        }
    }

    @Test
    void healthOfAServerSurvivesAReplacement() throws Exception {
        ScriptedStorage dead = open.storage();
        // Before anything is asked: an answer that is on its way would count as one to the first check.
        dead.script = command -> false;
        FuzzyCheck check = open(settings(10, dead.address(), "retransmits = 0;"));
        get(check.check(MAIL, ScanContext.NONE));
        get(check.check(MAIL, ScanContext.NONE));
        get(replace(check, settings(3, dead.address(), "retransmits = 0;")));
        assertThat(get(check.check(MAIL, ScanContext.NONE)).failures().getFirst().message())
                .contains("unavailable after 2 failures");
        dead.script = command -> true;
        await(() -> check.check(MAIL, ScanContext.NONE).join().complete());
    }

    @Test
    void newRulesDeliverQueuedUpdates() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = open(settings(10, storage.address(), "retransmits = 0;"));
        storage.script = command -> false;
        assertThat(get(check.learn(MAIL, LearnRequest.add(1, 40))).queued()).isEqualTo(1);
        get(replace(check, settings(3, storage.address(), "")));
        assertThat(check.queued()).isEqualTo(1);
        storage.script = command -> true;
        await(() -> check.queued() == 0);
        assertThat(storage.values).hasSize(1);
        assertThat(score(check)).isCloseTo(3, within(0.1));
    }

    @Test
    void unusableRulesChangeNothing() throws Exception {
        ScriptedStorage storage = open.storage();
        FuzzyCheck check = open(settings(10, storage.address(), ""));
        get(check.learn(MAIL, LearnRequest.add(1, 40)));
        assertThatThrownBy(() -> check.prepare(
                settings(3, storage.address(), "learn_condition = \"return function() return true end\";"),
                Optional.empty())).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("/weir.conf:2:");
        check.prepare(settings(3, storage.address(), ""), Optional.empty()).close();
        assertThat(score(check)).isCloseTo(10, within(0.1));
        FuzzyCheck.Replacement used = check.prepare(settings(3, storage.address(), ""), Optional.empty());
        get(used.apply());
        assertThatThrownBy(used::apply).isInstanceOf(IllegalStateException.class);
        used.close();
        assertThat(score(check)).isCloseTo(3, within(0.1));
    }
}
