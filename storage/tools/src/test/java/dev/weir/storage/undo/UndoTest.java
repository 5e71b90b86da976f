package dev.weir.storage.undo;

import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Network;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.trail.TrailFilter;
import dev.weir.storage.trail.TrailFilterBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class UndoTest {
    private static final int FLAG = 1;
    private static final UpdateSubmitter OPERATOR = new UpdateSubmitter("127.0.0.1", "enable_password", "root", "");

    @TempDir
    Path folder = Path.of("");

    private final long now = Instant.now().getEpochSecond();
    private StorageEngine engine;
    private Undo undo;
    private int tag;

    @BeforeEach
    void open() throws Exception {
        engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder));
        undo = new Undo(folder, engine);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void send(Update update, String address, String user, String mail) throws Exception {
        CompletableFuture<Void> done = new CompletableFuture<>();
        assertThat(engine.hashes().offer(new QueuedUpdate(update,
                new UpdateOrigin(InetAddress.ofLiteral(address), 4000, tag++, null,
                        new UpdateSubmitter(address, "password", user, mail)),
                new QueuedUpdate.Outcome() {
                    @Override
                    public void stored() {
                        done.complete(null);
                    }

                    @Override
                    public void failed() {
                        done.completeExceptionally(new StorageException("failed"));
                    }
                }))).isTrue();
        done.get();
    }

    private void learn(long digest, int flag, long weight, String user) throws Exception {
        send(Samples.write(digest, flag, weight, now, Samples.signature(digest)), "192.0.2.7", user,
                "m" + digest + "@example.org");
    }

    private long value(long digest, int flag) {
        return engine.find(Samples.digest(digest)).stream().filter(found -> found.flag() == flag)
                .mapToLong(FlagValue::value).findFirst().orElse(-1);
    }

    private static UndoRequest by(String user) {
        return new UndoRequest(TrailFilterBuilder.all().user(user).build(), List.of());
    }

    private static UndoRequest of(UndoResult result) {
        return new UndoRequest(TrailFilter.ofMail(result.id()), List.of());
    }

    @Test
    void anUndoTakesBackWhatOneLearnerBroughtAndNothingElse() throws Exception {
        learn(1, FLAG, 10, "alice");
        learn(1, FLAG, 5, "bob");
        learn(2, FLAG, 3, "alice");
        learn(3, FLAG, 4, "bob");
        UndoPlan plan = undo.rehearse(by("alice"));
        assertThat(plan.selected()).isEqualTo(2);
        assertThat(plan.hashes()).isEqualTo(2);
        assertThat(plan.removed()).isEqualTo(1);
        assertThat(plan.lowered()).isEqualTo(1);
        assertThat(value(1, FLAG)).as("a rehearsal changes nothing").isEqualTo(15);
        UndoResult result = undo.apply(by("alice"), OPERATOR);
        assertThat(result.failed()).isZero();
        assertThat(value(1, FLAG)).isEqualTo(5);
        assertThat(value(2, FLAG)).isEqualTo(-1);
        assertThat(value(3, FLAG)).isEqualTo(4);
    }

    /** The learn waits behind the plan, and comes before the removal. */
    @Test
    void whatAClientLearnsMeanwhileStays() throws Exception {
        learn(1, FLAG, 10, "alice");
        learn(2, FLAG, 10, "alice");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        CompletableFuture<Void> blocked = engine.writer().change(_ -> {
            begun.countDown();
            try {
                released.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return List.of();
        });
        begun.await();
        FutureTask<Void> learned = new FutureTask<>(() -> {
            learn(1, FLAG, 7, "bob");
            return null;
        });
        Thread.ofVirtual().start(learned);
        await().until(() -> learned.isDone() || engine.stats().queued() >= 1);
        FutureTask<UndoResult> undone = new FutureTask<>(() -> undo.apply(by("alice"), OPERATOR));
        Thread.ofVirtual().start(undone);
        await().until(() -> undone.isDone() || engine.stats().queued() >= 3);
        released.countDown();
        learned.get(1, TimeUnit.MINUTES);
        blocked.get(1, TimeUnit.MINUTES);
        UndoResult result = undone.get(1, TimeUnit.MINUTES);
        assertThat(result.failed()).isZero();
        assertThat(result.plan().removed()).isEqualTo(2);
        assertThat(value(1, FLAG)).isEqualTo(7);
        assertThat(value(2, FLAG)).isEqualTo(-1);
        undo.apply(of(result), OPERATOR);
        assertThat(value(1, FLAG)).isEqualTo(17);
        assertThat(value(2, FLAG)).isEqualTo(10);
    }

    @Test
    void theFlagThatAnsweredAnswersAgain() throws Exception {
        learn(1, FLAG, 10, "alice");
        learn(1, FLAG + 1, 10, "alice");
        UndoResult gone = undo.apply(new UndoRequest(TrailFilter.ALL, List.of(Samples.digest(1))), OPERATOR);
        assertThat(engine.find(Samples.digest(1))).isEmpty();
        undo.apply(of(gone), OPERATOR);
        assertThat(engine.find(Samples.digest(1))).extracting(FlagValue::flag).containsExactly(FLAG, FLAG + 1);
    }

    @Test
    void anUndoCanBeUndoneAndThatToo() throws Exception {
        learn(1, FLAG, 10, "alice");
        learn(1, FLAG, 5, "bob");
        learn(2, FLAG, 3, "alice");
        UndoResult first = undo.apply(by("alice"), OPERATOR);
        UndoResult second = undo.apply(of(first), OPERATOR);
        assertThat(value(1, FLAG)).isEqualTo(15);
        assertThat(value(2, FLAG)).isEqualTo(3);
        Lookup lookup = new Lookup();
        Samples.digest(99).copyTo(lookup.digest(), 0);
        long[] near = Samples.changed(Samples.shingles(2), 8, new SplittableRandom(1));
        System.arraycopy(near, 0, lookup.shingles(), 0, near.length);
        lookup.hasShingles(true);
        assertThat(engine.hashes().find(lookup, engine.hashes().now())).as("its signature is back").isTrue();
        undo.apply(of(second), OPERATOR);
        assertThat(value(1, FLAG)).isEqualTo(5);
        assertThat(value(2, FLAG)).isEqualTo(-1);
        UndoResult again = undo.apply(by("alice"), OPERATOR);
        assertThat(again.plan().steps()).as("alice's changes are undone").isEmpty();
    }

    @Test
    void aSecondUndoOfTheSameFindsNothing() throws Exception {
        learn(1, FLAG, 10, "alice");
        learn(1, FLAG, 5, "bob");
        undo.apply(by("alice"), OPERATOR);
        UndoResult again = undo.apply(by("alice"), OPERATOR);
        assertThat(again.plan().steps()).isEmpty();
        assertThat(again.id()).isEmpty();
        assertThat(value(1, FLAG)).isEqualTo(5);
        undo.apply(by("bob"), OPERATOR);
        assertThat(value(1, FLAG)).isEqualTo(-1);
    }

    @Test
    void whatSomeoneDeletedInBetweenIsGoneAlready() throws Exception {
        learn(1, FLAG, 10, "alice");
        send(new Update.Delete(Samples.digest(1), FLAG), "192.0.2.8", "carol", "");
        learn(1, FLAG, 5, "bob");
        UndoPlan plan = undo.rehearse(by("alice"));
        assertThat(plan.steps()).isEmpty();
        assertThat(plan.gone()).isEqualTo(1);
        undo.apply(by("carol"), OPERATOR);
        assertThat(value(1, FLAG)).as("the deletion is undone").isEqualTo(15);
    }

    /** In its lowest byte, 300 is 44; the largest flag is negative as a signed number. */
    @Test
    void flagsOfMoreThanAByteStayApart() throws Exception {
        learn(1, 300, 10, "alice");
        learn(1, 44, 5, "alice");
        learn(1, 0xffff_fff0, 7, "alice");
        UndoResult large = undo.apply(
                new UndoRequest(TrailFilterBuilder.all().user("alice").flag(300).build(), List.of()),
                OPERATOR);
        assertThat(value(1, 300)).isEqualTo(-1);
        assertThat(value(1, 44)).isEqualTo(5);
        UndoResult rest = undo.apply(by("alice"), OPERATOR);
        assertThat(engine.find(Samples.digest(1))).isEmpty();
        undo.apply(of(rest), OPERATOR);
        undo.apply(of(large), OPERATOR);
        assertThat(value(1, 300)).isEqualTo(10);
        assertThat(value(1, 44)).isEqualTo(5);
        assertThat(value(1, 0xffff_fff0)).isEqualTo(7);
    }

    @Test
    void deletionsOfAllFlagsAreUndone() throws Exception {
        learn(1, 1, 10, "alice");
        learn(1, 2, 20, "alice");
        send(new Update.DeleteAll(Samples.digest(1)), "192.0.2.8", "carol", "");
        undo.apply(by("carol"), OPERATOR);
        assertThat(value(1, 1)).isEqualTo(10);
        assertThat(value(1, 2)).isEqualTo(20);
    }

    @Test
    void aHashIsForgottenWholeAndComesBack() throws Exception {
        learn(1, 1, 10, "alice");
        learn(1, 2, 20, "bob");
        Digest digest = Samples.digest(1);
        UndoResult one = undo.apply(new UndoRequest(TrailFilterBuilder.all().flag(2).build(), List.of(digest)),
                OPERATOR);
        assertThat(value(1, 1)).isEqualTo(10);
        assertThat(value(1, 2)).isEqualTo(-1);
        UndoResult both = undo.apply(new UndoRequest(TrailFilter.ALL, List.of(digest)), OPERATOR);
        assertThat(engine.find(digest)).isEmpty();
        undo.apply(of(both), OPERATOR);
        undo.apply(of(one), OPERATOR);
        assertThat(value(1, 1)).isEqualTo(10);
        assertThat(value(1, 2)).isEqualTo(20);
    }

    @Test
    void aValueBelowWhatWasBroughtComesBackAsItWas() throws Exception {
        learn(1, FLAG, 10, "alice");
        learn(1, FLAG, -7, "bob");
        UndoResult result = undo.apply(by("alice"), OPERATOR);
        assertThat(value(1, FLAG)).isEqualTo(-1);
        undo.apply(of(result), OPERATOR);
        assertThat(value(1, FLAG)).isEqualTo(3);
    }

    @Test
    void networksTimesKeysAndRevisionsSelect() throws Exception {
        learn(1, FLAG, 10, "alice");
        send(Samples.write(2, FLAG, 6, now, null), "198.51.100.3", "dave", "other@example.org");
        assertThat(undo
                .rehearse(new UndoRequest(TrailFilterBuilder.all().from(Network.of("198.51.100.0/24")).build(),
                        List.of()))
                .hashes()).isEqualTo(1);
        long millis = engine.hashes().now();
        assertThat(
                undo.rehearse(new UndoRequest(TrailFilterBuilder.all().times(millis - 60_000, millis + 60_000).build(),
                        List.of())).hashes())
                .isEqualTo(2);
        assertThat(
                undo.rehearse(new UndoRequest(TrailFilterBuilder.all().times(millis + 60_000, Long.MAX_VALUE).build(),
                        List.of())).hashes())
                .isZero();
        assertThat(undo.rehearse(by("alice").upTo(0)).hashes()).isZero();
        assertThat(undo.rehearse(new UndoRequest(TrailFilter.ofMail("<m1@example.org>"), List.of())).hashes())
                .isEqualTo(1);
        assertThatThrownBy(() -> new UndoRequest(TrailFilterBuilder.all().flag(1).build(), List.of()))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("say what to undo");
    }

    @Test
    void aSignatureOlderThanTheTrailComesFromTheStore() throws Exception {
        Signature signature = Samples.signature(7);
        // A write of the storage itself has no place in the audit trail of the database; the log has it.
        engine.apply(new Update.Write(Samples.digest(7), FLAG, 9, now, signature)).join();
        engine.sync().join();
        UndoResult result = undo.apply(new UndoRequest(TrailFilter.ALL, List.of(Samples.digest(7))), OPERATOR);
        assertThat(result.plan().steps().getFirst().signature()).isEqualTo(signature);
        undo.apply(of(result), OPERATOR);
        assertThat(value(7, FLAG)).isEqualTo(9);
        assertThat(engine.hashes().index().signature(Samples.digest(7))).isNotNull();
    }

    @Test
    void aForgottenHashThatNoCheckpointHasKeepsItsSignature() throws Exception {
        Signature signature = Samples.signature(7).withSides(Samples.sides(7));
        engine.apply(new Update.Write(Samples.digest(7), FLAG, 9, now, signature)).join();
        engine.apply(new Update.Write(Samples.digest(8), FLAG, 9, now, null)).join();
        UndoRequest both = new UndoRequest(TrailFilter.ALL, List.of(Samples.digest(7), Samples.digest(8)));
        assertThat(undo.rehearse(both).steps()).as("a rehearsal needs none").allMatch(step -> step.signature() == null);
        UndoResult result = undo.apply(both, OPERATOR);
        assertThat(result.plan().steps()).allSatisfy(step -> assertThat(step.signature())
                .isEqualTo(step.digest().equals(Samples.digest(7)) ? signature : null));
        undo.apply(of(result), OPERATOR);
        assertThat(engine.signatures(Set.of(Samples.digest(7), Samples.digest(8), Samples.digest(9))))
                .containsExactly(Map.entry(Samples.digest(7), signature));
    }

    /** Random changes by three people: undoing one of them leaves what the other two would have made alone. */
    @Test
    void undoingOnePersonIsAsIfTheyHadNeverLearned() throws Exception {
        SplittableRandom random = new SplittableRandom(5);
        List<String> people = List.of("alice", "bob", "carol");
        long[] others = new long[20];
        for (int i = 0; i < 200; i++) {
            int digest = random.nextInt(others.length);
            long weight = random.nextInt(1, 50);
            String person = people.get(random.nextInt(people.size()));
            learn(digest, FLAG, weight, person);
            if (!person.equals("alice")) {
                others[digest] += weight;
            }
        }
        UndoResult result = undo.apply(by("alice"), OPERATOR);
        for (int i = 0; i < others.length; i++) {
            assertThat(value(i, FLAG)).isEqualTo(others[i] == 0 ? -1 : others[i]);
        }
        undo.apply(of(result), OPERATOR);
        undo.apply(by("bob"), OPERATOR);
        undo.apply(by("carol"), OPERATOR);
        undo.apply(by("alice"), OPERATOR);
        assertThat(engine.stats().hashes()).isZero();
    }
}
