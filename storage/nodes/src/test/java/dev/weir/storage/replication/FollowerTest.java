package dev.weir.storage.replication;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.UpdateLog;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What a follower with three updates does with the answers of a leader that cannot continue its history. */
class FollowerTest {
    private static final int OWN = 3;
    private static final long LEADER = 77;

    @TempDir
    private Path folder = Path.of("");
    private StorageEngine engine;
    private Follower follower;
    private UpdateLog.Tip end;

    @BeforeEach
    void open() throws Exception {
        engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder));
        follower = new Follower(engine.log(), 1, System::nanoTime, () -> false);
        for (int i = 0; i < OWN; i++) {
            engine.apply(new Update.Write(Samples.digest(i), 1, 1, engine.hashes().now() / 1_000, null)).join();
        }
        end = engine.log().tip();
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** The epoch of a leader that was promoted after the epoch of this follower. */
    private LeaderEpoch promoted() {
        return new LeaderEpoch(end.epoch().number() + 1, 5, 2, false);
    }

    private Message.Unfit answer(long storage, LeaderEpoch epoch, boolean proven, Optional<Message.Fork> fork) {
        return new Message.Unfit(storage, new UpdateLog.Tip(9, 99, epoch), end.revision(), end.checksum(), proven, fork,
                "of the test");
    }

    private Message.Fork fork(long revision, long error) throws Exception {
        OptionalLong checksum = engine.log().checksumAt(revision);
        return new Message.Fork(revision, checksum.orElseThrow() + error);
    }

    private Follower.Ground ground(Message.Unfit answer) {
        Follower.Step step = follower.receive(answer);
        assertThat(step).isInstanceOf(Follower.Step.StartAgain.class);
        return ((Follower.Step.StartAgain) step).ground();
    }

    private void assertHolds(Message.Unfit answer) {
        assertThat(follower.receive(answer)).isInstanceOf(Follower.Step.Held.class);
    }

    @Test
    void itsDistanceIsUnknownBeforeTheLeaderAnswers() {
        assertThat(follower.behind()).isEqualTo(-1);
        assertThat(follower.lagSeconds()).isEmpty();
        follower.failed("it cannot be reached");
        assertThat(follower.behind()).isEqualTo(-1);
    }

    @Test
    void aPromotionCountsOnlyWithTheSameHistoryUpToIt() throws Exception {
        assertHolds(answer(LEADER, promoted(), false, Optional.of(fork(1, 1))));
        assertHolds(answer(LEADER, promoted(), false, Optional.of(new Message.Fork(OWN + 1, 1))));
        assertHolds(answer(LEADER, promoted(), false, Optional.empty()));
        assertThat(follower.receive(answer(LEADER, promoted(), false, Optional.of(fork(1, 0)))))
                .isEqualTo(new Follower.Step.StartAgain("of the test", Follower.Ground.PROMOTION, OWN - 1,
                        new Follower.Place(LEADER, promoted())));
    }

    /** A restored leader begins an epoch, too, but without a promotion. */
    @Test
    void anEpochThatNoPromotionBeganIsNone() throws Exception {
        LeaderEpoch restored = new LeaderEpoch(end.epoch().number() + 1, 5, 2, true);
        assertHolds(answer(LEADER, restored, false, Optional.of(fork(1, 0))));
        LeaderEpoch same = new LeaderEpoch(end.epoch().number(), 5, 2, false);
        assertHolds(answer(LEADER, same, false, Optional.of(fork(1, 0))));
    }

    @Test
    void anOperatorGivesUpWhatOneLeaderLacksAndNoOther() {
        LeaderEpoch epoch = end.epoch();
        LeaderEpoch other = new LeaderEpoch(epoch.number(), epoch.branch() + 1, epoch.first(), true);
        follower.discardFor(new Follower.Place(LEADER, epoch));
        assertHolds(answer(LEADER + 1, epoch, false, Optional.empty()));
        assertHolds(answer(LEADER, other, false, Optional.empty()));
        assertThat(ground(answer(LEADER, epoch, false, Optional.empty()))).isEqualTo(Follower.Ground.DISCARD);
        // It follows, so the permission is used up.
        assertThat(follower.receive(new Message.Batch(epoch, end.revision(), 0, 0, 2, List.of(2L), end.revision(),
                end.checksum(), end.checksum(), List.of()))).isInstanceOf(Follower.Step.Apply.class);
        assertHolds(answer(LEADER, epoch, false, Optional.empty()));
    }

    @Test
    void onlyAProofOrAnOperatorReplacesWhatItHas() {
        assertHolds(answer(LEADER, end.epoch(), false, Optional.empty()));
        assertThat(ground(answer(LEADER, end.epoch(), true, Optional.empty()))).isEqualTo(Follower.Ground.PROVEN);
        // Not by a leader that was replaced.
        assertThat(follower.receive(answer(LEADER, LeaderEpoch.NONE, true, Optional.empty())))
                .isInstanceOf(Follower.Step.Wait.class);
    }

    private boolean confirms(Message answer, Follower.Step.StartAgain earlier) {
        return Follower.confirms(follower.receive(answer), earlier);
    }

    /** The leader is asked again when the copy is complete. */
    @Test
    void aCopyNeedsTheSameGroundOfTheSameLeaderAtItsEnd() {
        Follower.Step.StartAgain proven = (Follower.Step.StartAgain) follower
                .receive(answer(LEADER, end.epoch(), true, Optional.empty()));
        assertThat(confirms(answer(LEADER, end.epoch(), true, Optional.empty()), proven)).isTrue();
        assertThat(confirms(answer(LEADER, end.epoch(), false, Optional.empty()), proven)).isFalse();
        assertThat(confirms(answer(LEADER + 1, end.epoch(), true, Optional.empty()), proven)).isFalse();
        assertThat(confirms(new Message.Refused(end.epoch(), "busy"), proven)).isFalse();
    }

    @Test
    void anAnswerAboutAnotherPlaceOfItsHistoryDecidesNothing() {
        UpdateLog.Tip at = new UpdateLog.Tip(9, 99, end.epoch());
        assertThat(follower.receive(new Message.Unfit(LEADER, at, end.revision() - 1, end.checksum(), true,
                Optional.empty(), "late"))).isInstanceOf(Follower.Step.Wait.class);
        assertThat(follower.receive(new Message.Unfit(LEADER, at, end.revision(), end.checksum() + 1, true,
                Optional.empty(), "late"))).isInstanceOf(Follower.Step.Wait.class);
    }

    /** Its hashes can come from a store whose log is gone, so an empty log alone proves nothing. */
    @Test
    void hashesWithoutALogCount(@TempDir Path other) throws Exception {
        try (StorageEngine empty = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(other))) {
            end = empty.log().tip();
            Message.Unfit answer = answer(LEADER, end.epoch(), false, Optional.empty());
            follower = new Follower(empty.log(), 1, System::nanoTime, () -> true);
            assertHolds(answer);
            follower = new Follower(empty.log(), 1, System::nanoTime, () -> false);
            assertThat(ground(answer)).isEqualTo(Follower.Ground.EMPTY);
        }
    }
}
