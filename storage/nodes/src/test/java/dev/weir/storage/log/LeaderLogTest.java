package dev.weir.storage.log;

import java.time.Duration;
import java.util.List;

import dev.weir.storage.queue.Role;
import dev.weir.storage.replication.Checkpoint;
import dev.weir.storage.replication.Confirmations;
import dev.weir.storage.replication.Feed;
import dev.weir.storage.replication.FollowerKey;
import dev.weir.storage.replication.FollowerPositions;
import dev.weir.storage.replication.Inbox;
import dev.weir.storage.replication.Leader;
import dev.weir.storage.replication.Message;
import dev.weir.wire.key.PublicKey;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a leader answers that cannot read its own log. */
class LeaderLogTest {
    private static final FollowerKey FOLLOWER = new FollowerKey("f", PublicKey.of(new byte[32]), Feed.WHOLE, true, 0);

    private final LogFixture fixture = new LogFixture();

    private Leader leader(UpdateLog log) {
        Checkpoint.Origin none = () -> {
            throw new AssertionError("no copy is asked for");
        };
        return new Leader(log, new Role(Role.Part.LEADER), 1, List.of(FOLLOWER),
                new Confirmations(1, Duration.ofSeconds(1)), none, new Alone(),
                new Inbox(_ -> false, _ -> {}, () -> 0), new FollowerPositions());
    }

    private static Message.Pull pull(UpdateLog log, long revision, long checksum) {
        return new Message.Pull(2, log.tip().epoch(), revision, checksum, 1 << 20, 0);
    }

    /**
     * Writes six updates and damages the third one.
     *
     * @param applied the last update that the store has
     * @return the running checksum up to the second update
     */
    private long damageThird(UpdateLog log, long applied) throws Exception {
        fixture.write(log, 6, 1);
        long second = log.checksumAt(2).orElseThrow();
        fixture.disk.flip(Segment.of(1).name(), Segment.HEADER + fixture.bytesUpTo(2) + 20, 1);
        log.store().moveTo(applied);
        return second;
    }

    /** Both have the same updates up to the damage, so the follower can take a copy, which has what the log lacks. */
    @Test
    void offersACopyInsteadOfUpdatesThatItsStoreHasAndItsLogCannotRead() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            long second = damageThird(log, 6);
            Leader leader = leader(log);
            for (int again = 0; again < 2; again++) {
                Message answer = leader.answer(FOLLOWER, pull(log, 2, second));
                assertThat(answer).isInstanceOfSatisfying(Message.Unfit.class, unfit -> {
                    assertThat(unfit.proven()).isTrue();
                    assertThat(unfit.reason()).contains("cannot read the update 3, which the store has");
                });
            }
            // Nothing proves what a follower has that is beyond the damage, so a person decides.
            assertThat(leader.answer(FOLLOWER, pull(log, 4, 1)))
                    .isInstanceOfSatisfying(Message.Unfit.class, unfit -> assertThat(unfit.proven()).isFalse());
        }
    }

    /** Without its store, the leader has lost them itself. */
    @Test
    void refusesIfItsStoreLacksWhatItsLogCannotRead() throws Exception {
        try (UpdateLog log = fixture.open(0)) {
            long second = damageThird(log, 2);
            assertThat(leader(log).answer(FOLLOWER, pull(log, 2, second))).isInstanceOfSatisfying(
                    Message.Refused.class, refused -> assertThat(refused.reason()).contains("is damaged"));
        }
    }

    /** A leader that follows no other node. */
    private static final class Alone implements Leader.Surroundings {
        @Override
        public List<Long> above() {
            return List.of();
        }

        @Override
        public void higherEpoch(LeaderEpoch epoch) {
            throw new AssertionError("no follower has a higher epoch");
        }

        @Override
        public long millis() {
            return 0;
        }
    }
}
