package dev.weir.storage.replication;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.notes.NodeNotes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What a follower says and hears in each round, without a network and without the pause between the rounds. */
class NoteAskerTest {
    private final List<String> events = new ArrayList<>();
    private final Queue<Boolean> follows = new ArrayDeque<>();
    private Transport leader = question -> {
        assertThat(read(question)).isInstanceOf(Message.Note.class);
        return Message.write(new Message.Note(8, new byte[]{5}));
    };

    private final NodeNotes notes = new NodeNotes() {
        @Override
        public byte[] write(Predicate<String> known) {
            assertThat(known.test("leader")).isTrue();
            events.add("write");
            return new byte[]{1};
        }

        @Override
        public void read(String from, boolean first, byte[] note) {
            events.add("read from " + from + ", first " + first + ": " + note[0]);
        }

        @Override
        public void forget() {
            events.add("forget");
        }

        @Override
        public void failed() {
            events.add("failed");
        }
    };

    private static Message read(byte[] bytes) throws IOException {
        try {
            return Message.read(bytes);
        } catch (MessageException e) {
            throw new IOException(e);
        }
    }

    /** Runs one round for each value, which says whether this node follows then. */
    private void rounds(boolean before, boolean... following) {
        follows.add(before);
        for (boolean one : following) {
            follows.add(one);
        }
        new NoteAsker(question -> leader.ask(question), notes, 7, follows::remove, new CountDownLatch(1) {
            @Override
            public boolean await(long time, TimeUnit unit) {
                return follows.isEmpty();
            }
        }).run();
    }

    @Test
    void aFollowerTellsAndHearsInEachRound() {
        rounds(true, true, true);
        assertThat(events).containsExactly("write", "read from leader, first true: 5", "write",
                "read from leader, first true: 5");
    }

    @Test
    void aPromotedNodeForgetsWhatItHeardAndAsksNoMore() {
        rounds(true, true, false, false);
        assertThat(events).containsExactly("write", "read from leader, first true: 5", "forget");
    }

    @Test
    void aNodeThatFollowsFromNowOnForgetsFirst() {
        rounds(false, false, true);
        assertThat(events).containsExactly("forget", "write", "read from leader, first true: 5");
    }

    @Test
    void eachFailureIsCounted() {
        leader = _ -> {
            throw new IOException("the leader is away");
        };
        rounds(true, true);
        leader = _ -> Message.write(new Message.Refused(LeaderEpoch.NONE, "it is a follower"));
        rounds(true, true);
        leader = _ -> new byte[]{1, 2, 3};
        rounds(true, true);
        assertThat(events).containsExactly("write", "failed", "write", "failed", "write", "failed");
    }
}
