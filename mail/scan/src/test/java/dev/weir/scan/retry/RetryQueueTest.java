package dev.weir.scan.retry;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.weir.model.HtmlSides;
import dev.weir.scan.retry.PendingUpdate.Content;
import dev.weir.scan.retry.RetryQueue.Verdict;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

final class RetryQueueTest {
    private static final Clock CLOCK = Clock.fixed(Instant.ofEpochSecond(1_700_000_000), ZoneOffset.UTC);
    private static final Duration SOON = Duration.ofMillis(5);

    @TempDir
    Path folder;

    private final List<List<Content>> sent = new CopyOnWriteArrayList<>();
    private volatile Verdict verdict = Verdict.NO_ANSWER;

    private Path file() {
        return folder.resolve("deep/queue");
    }

    private RetryQueue open() throws IOException {
        return RetryQueue.open(file(), (rule, server, updates) -> {
            sent.add(updates);
            return CompletableFuture.completedFuture(updates.stream().map(update -> verdict).toList());
        }, SOON, SOON, CLOCK);
    }

    private static Content update(int number, boolean shingled) {
        byte[] digest = new byte[64];
        new Random(number).nextBytes(digest);
        return new Content("rule é", "host:" + number % 2, 1, number % 3 == 0 ? 300 : 200, -number, number, digest,
                shingled ? new Random(number).longs(32).toArray() : new long[0],
                number % 3 == 1 ? new HtmlSides(number, number + 1, number + 2) : null, number % 2 * 40_000);
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofSeconds(20)).pollInterval(Duration.ofMillis(1)).until(condition);
    }

    private static void assertSame(Content one, Content other) {
        assertThat(one).usingRecursiveComparison().isEqualTo(other);
    }

    @Test
    void filesAreAccessibleToTheirOwnerOnly() throws Exception {
        try (RetryQueue queue = open(); var files = Files.walk(folder.resolve("deep"))) {
            assertThat(queue.add(List.of(update(1, true))).get()).isEqualTo(1);
            for (Path path : files.toList()) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path))).as(path.toString())
                        .endsWith("------");
            }
        }
    }

    @Test
    void updatesSurviveARestart() throws Exception {
        try (RetryQueue queue = open()) {
            assertThat(queue.add(List.of(update(1, true), update(2, false), update(3, true))).get()).isEqualTo(3);
            assertThat(queue.holds("rule é", "host:1", update(1, true).digest())).isTrue();
            assertThat(queue.holds("rule é", "host:0", update(1, true).digest())).isFalse();
            assertThat(queue.holds("another", "host:1", update(1, true).digest())).isFalse();
        }
        sent.clear();
        verdict = Verdict.CONFIRMED;
        try (RetryQueue queue = open()) {
            await(() -> queue.size() == 0);
        }
        List<Content> all = sent.stream().flatMap(List::stream)
                .sorted((a, b) -> Integer.compare(a.tag(), b.tag()))
                .toList();
        assertThat(all).hasSize(3);
        assertSame(all.get(0), update(1, true));
        assertSame(all.get(1), update(2, false));
        assertSame(all.get(2), update(3, true));
        try (RetryQueue queue = open()) {
            assertThat(queue.size()).isZero();
        }
    }

    @Test
    void refusedUpdateIsNotSentAgain() throws Exception {
        verdict = Verdict.REFUSED;
        try (RetryQueue queue = open()) {
            queue.add(List.of(update(1, true))).get();
            await(() -> queue.size() == 0);
            assertThat(queue.refused()).isEqualTo(1);
        }
        assertThat(sent).hasSize(1);
    }

    @Test
    void unansweredUpdatesOfOneRuleDoNotBlockAnother() throws Exception {
        Content first = update(1, true);
        Content other = new Content("other", first.server(), 1, 7, 1, 99, first.digest(), new long[0], null, 0);
        try (RetryQueue queue = RetryQueue.open(file(), (rule, server, updates) -> CompletableFuture.completedFuture(
                Collections.nCopies(updates.size(), rule.equals("other") ? Verdict.CONFIRMED : Verdict.NO_ANSWER)),
                SOON, SOON, CLOCK)) {
            queue.add(List.of(first, other)).get();
            await(() -> queue.size() == 1);
            assertThat(queue.holds(first.rule(), first.server(), first.digest())).isTrue();
            assertThat(queue.holds("other", first.server(), first.digest())).isFalse();
        }
    }

    @Test
    void updatesThatCannotBeStoredNowLetOthersPassInOrder() throws Exception {
        List<Content> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(update(2 * i, false));
        }
        Content behind = new Content(all.getFirst().rule(), all.getFirst().server(), 2, 7, 0, 999,
                all.getFirst().digest(), new long[0], null, 0);
        Content last = update(300, false);
        all.add(behind);
        all.add(last);
        AtomicBoolean room = new AtomicBoolean();
        try (RetryQueue queue = RetryQueue.open(file(), (rule, server, updates) -> {
            sent.add(updates);
            return CompletableFuture.completedFuture(updates.stream()
                    .map(update -> room.get() || update.tag() == last.tag() ? Verdict.CONFIRMED : Verdict.NOT_NOW)
                    .toList());
        }, SOON, SOON, CLOCK)) {
            queue.add(all).get();
            await(() -> queue.size() == all.size() - 1);
            assertThat(sent.stream().flatMap(List::stream)).noneMatch(update -> update.tag() == behind.tag());
            room.set(true);
            await(() -> queue.size() == 0);
        }
        List<Integer> tags = sent.stream().flatMap(List::stream)
                .map(Content::tag)
                .filter(tag -> tag == all.getFirst().tag() || tag == behind.tag())
                .toList();
        assertThat(tags).endsWith(behind.tag()).filteredOn(tag -> tag == behind.tag()).hasSize(1);
    }

    @Test
    void pausesAreShorterThanAStorageRemembers() throws Exception {
        Duration day = Duration.ofDays(1);
        try (RetryQueue queue = RetryQueue.open(file(), (rule, server, updates) -> {
            sent.add(updates);
            return CompletableFuture.completedFuture(updates.stream().map(update -> verdict).toList());
        }, SOON, day, CLOCK)) {
            assertThat(queue.longestPause()).isEqualTo(Duration.ofSeconds(15));
            queue.retune(day);
            assertThat(queue.longestPause()).isEqualTo(Duration.ofSeconds(15));
            queue.retune(SOON);
            assertThat(queue.longestPause()).isEqualTo(SOON);
        }
    }

    @Test
    void unansweredUpdateIsSentUntilConfirmed() throws Exception {
        try (RetryQueue queue = open()) {
            queue.add(List.of(update(1, true))).get();
            await(() -> sent.size() >= 3);
            assertThat(queue.size()).isEqualTo(1);
            verdict = Verdict.CONFIRMED;
            await(() -> queue.size() == 0);
        }
    }

    @Test
    void failingTransportDoesNotEndTheAttempts() throws Exception {
        verdict = Verdict.CONFIRMED;
        AtomicBoolean thrown = new AtomicBoolean();
        try (RetryQueue queue = RetryQueue.open(file(), (rule, server, updates) -> {
            if (thrown.compareAndSet(false, true)) {
                throw new IllegalStateException("made up");
            }
            sent.add(updates);
            return CompletableFuture.completedFuture(updates.stream().map(update -> verdict).toList());
        }, SOON, SOON, CLOCK)) {
            queue.add(List.of(update(1, true))).get();
            await(() -> queue.size() == 0);
        }
        assertThat(sent).hasSize(1);
    }

    @Test
    void updatesOfOneDigestKeepTheirOrder() throws Exception {
        verdict = Verdict.CONFIRMED;
        Content first = update(2, false);
        Content second = new Content(first.rule(), first.server(), 2, 7, 0, 99, first.digest(), new long[0],
                null, 0);
        try (RetryQueue queue = open()) {
            queue.add(List.of(first, second, update(4, false))).get();
            await(() -> queue.size() == 0);
        }
        assertThat(sent.getFirst()).hasSize(1);
        assertSame(sent.getFirst().getFirst(), first);
        assertSame(sent.get(1).getFirst(), second);
    }

    @Test
    void removesAnIncompleteRecord() throws Exception {
        try (RetryQueue queue = open()) {
            queue.add(List.of(update(1, true), update(2, true))).get();
        }
        byte[] whole = Files.readAllBytes(file());
        for (int cut : new int[]{1, 100, 400}) {
            Files.write(file(), java.util.Arrays.copyOf(whole, whole.length - cut));
            try (RetryQueue queue = open()) {
                assertThat(queue.size()).as("cut by " + cut).isEqualTo(1 - cut / 400);
                queue.add(List.of(update(3, true))).get();
            }
            try (RetryQueue queue = open()) {
                assertThat(queue.size()).as("cut by " + cut).isEqualTo(2 - cut / 400);
            }
        }
    }

    @Test
    void ignoresADamagedRecord() throws Exception {
        try (RetryQueue queue = open()) {
            queue.add(List.of(update(1, true), update(2, true))).get();
        }
        byte[] bytes = Files.readAllBytes(file());
        bytes[bytes.length - 20] ^= 1;
        Files.write(file(), bytes);
        try (RetryQueue queue = open()) {
            assertThat(queue.size()).isEqualTo(1);
        }
    }

    @Test
    void copiesWhatFollowsADamagedRecord() throws Exception {
        try (RetryQueue queue = open()) {
            queue.add(List.of(update(1, true), update(2, true), update(3, true), update(4, true))).get();
        }
        byte[] whole = Files.readAllBytes(file());
        int record = (whole.length - 8) / 4;
        for (int round = 0; round < 2; round++) {
            byte[] bytes = whole.clone();
            bytes[8 + record + record / 2] ^= 1;
            Files.write(file(), bytes);
            try (RetryQueue queue = open()) {
                assertThat(queue.size()).isEqualTo(1);
            }
            Path copy = file().resolveSibling(round == 0 ? "queue.damaged" : "queue.damaged-2");
            byte[] rest = Files.readAllBytes(copy);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy))).isEqualTo("rw-------");
            assertThat(bytes).endsWith(rest);
            // What follows is whole.
            assertThat(rest.length).isBetween(3 * (record - 32), 3 * (record + 32));
        }
    }

    @Test
    void recordsLostInACrashAreNotCopied() throws Exception {
        try (RetryQueue queue = open()) {
            queue.add(List.of(update(1, true), update(2, true))).get();
        }
        byte[] whole = Files.readAllBytes(file());
        for (byte[] bytes : List.of(java.util.Arrays.copyOf(whole, whole.length + 100_000),
                java.util.Arrays.copyOf(whole, whole.length - 1))) {
            Files.write(file(), bytes);
            try (RetryQueue queue = open()) {
                assertThat(queue.size()).isPositive();
            }
            assertThat(file().resolveSibling("queue.damaged")).doesNotExist();
        }
    }

    @Test
    void rejectsAnotherFileFormat() throws Exception {
        Files.createDirectories(file().getParent());
        Files.writeString(file(), "something else altogether");
        assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("not a retry queue");
        assertThat(Files.readString(file())).startsWith("something");
    }

    @Test
    void locksTheQueueForOneProcess() throws Exception {
        try (RetryQueue queue = open()) {
            assertThat(queue.size()).isZero();
            assertThatThrownBy(this::open).isInstanceOf(IOException.class).hasMessageContaining("in use");
        }
    }

    @Test
    void fileShrinksWhenMostUpdatesHaveEnded() throws Exception {
        verdict = Verdict.CONFIRMED;
        try (RetryQueue queue = open()) {
            List<Content> many = new ArrayList<>();
            for (int i = 0; i < 4000; i++) {
                many.add(update(i, true));
            }
            queue.add(many).get();
            await(() -> queue.size() == 0);
        }
        assertThat(Files.size(file())).isLessThan(1 << 20);
        verdict = Verdict.NO_ANSWER;
        try (RetryQueue queue = open()) {
            queue.add(List.of(update(1, false))).get();
        }
        try (RetryQueue queue = open()) {
            assertThat(queue.size()).isEqualTo(1);
        }
    }

    @Test
    void rejectsUpdatesBeyondTheLimit() throws Exception {
        List<Content> tooMany = Collections.nCopies(RetryQueue.MOST + 1, update(1, false));
        try (RetryQueue queue = open()) {
            assertThat(queue.add(tooMany).get()).isEqualTo(RetryQueue.MOST);
            assertThat(queue.add(List.of(update(2, false))).get()).isZero();
        }
    }

    @Test
    void closingDuringAWriteLosesNothing() throws Exception {
        CompletableFuture<RetryQueue> opened = new CompletableFuture<>();
        Clock closing = new Clock() {
            @Override
            public ZoneId getZone() {
                return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
                return this;
            }

            // The queue reads the clock right before it writes.
            @Override
            public Instant instant() {
                Thread closer = Thread.ofPlatform().start(() -> opened.join().close());
                await(() -> closer.getState() == Thread.State.TIMED_WAITING);
                return CLOCK.instant();
            }
        };
        opened.complete(RetryQueue.open(file(), (rule, server, updates) -> new CompletableFuture<>(), SOON, SOON,
                closing));
        assertThat(opened.join().add(List.of(update(1, true))).get()).isEqualTo(1);
        opened.join().close();
        try (RetryQueue queue = open()) {
            assertThat(queue.size()).isEqualTo(1);
        }
    }
}
