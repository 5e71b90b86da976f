package dev.weir.storage.replication;

import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.UpdateLog;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What proves that a leader had everything of a follower: a place that it verified or sent, with its checksum. */
class SentPositionsTest {
    private static final LeaderEpoch EPOCH = new LeaderEpoch(1, 5, 1, true);

    private static void send(SentPositions places) {
        places.verified(10, 100);
        places.sent(11, 110);
        places.sent(12, 120);
    }

    @Test
    void aPlaceCountsWithItsChecksumOnly() {
        SentPositions places = new SentPositions();
        send(places);
        assertThat(places.has(10, 100)).isTrue();
        assertThat(places.has(12, 120)).isTrue();
        assertThat(places.has(12, 121)).isFalse();
        assertThat(places.has(9, 100)).isFalse();
        assertThat(places.has(13, 120)).isFalse();
    }

    /** After a repair or a restored backup, this node may lack what it had there. */
    @Test
    void placesOfAnotherHistoryProveNothing() {
        FollowerPositions before = new FollowerPositions();
        send(before.of("f"));
        byte[] content = before.content(EPOCH);
        assertThat(restored(content, new UpdateLog.Tip(12, 1, EPOCH)).of("f").has(12, 120)).isTrue();
        assertThat(restored(content, new UpdateLog.Tip(11, 1, EPOCH)).of("f").has(11, 110)).as("an older log")
                .isFalse();
        assertThat(restored(content, new UpdateLog.Tip(12, 1, new LeaderEpoch(1, 6, 1, true))).of("f").has(12, 120))
                .as("another history").isFalse();
    }

    private static FollowerPositions restored(byte[] content, UpdateLog.Tip tip) {
        FollowerPositions positions = new FollowerPositions();
        assertThat(positions.restore(content, tip)).isTrue();
        return positions;
    }
}
