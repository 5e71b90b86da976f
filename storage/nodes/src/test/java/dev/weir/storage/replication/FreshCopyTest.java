package dev.weir.storage.replication;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.OptionalLong;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.RecentPlace;
import dev.weir.storage.log.UpdateLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Copies that are refused, because the ground for them is older than they are. */
class FreshCopyTest {
    private static final LeaderEpoch EPOCH = new LeaderEpoch(1, 5, 1, true);
    private static final Follower.Place LEADER = new Follower.Place(77, EPOCH);

    @TempDir
    private Path folder = Path.of("");

    private void make(long storage, long revision, Follower.Ground ground) throws Exception {
        Transport transport = question -> {
            Message.Fetch fetch = (Message.Fetch) read(question);
            return Message.write(new Message.Part(9, fetch.part(), true, false, storage, EPOCH, revision, 1,
                    new RecentPlace(revision, OptionalLong.of(1)), 0, new byte[0]));
        };
        new FreshCopy(folder, InstantSource.system()).make(transport, 1,
                new FreshCopy.Target(1, new UpdateLog.Tip(31, 3, EPOCH), 3, ground, 0, LEADER), () -> {});
    }

    private static Message read(byte[] question) {
        try {
            return Message.read(question);
        } catch (MessageException e) {
            throw new AssertionError(e);
        }
    }

    /** The leader had the updates of the follower when it was asked, and has gone back to an older folder since. */
    @Test
    void refusesALeaderThatHasGoneBackSinceItsProof() {
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> make(77, 22, Follower.Ground.PROVEN))
                .withMessageContaining("ends with update 22, and this node with 31, which the leader had");
        assertThat(Files.exists(folder.resolve(DataFolder.FRESH))).isFalse();
    }

    /** A name can stand for two addresses. */
    @Test
    void refusesTheCopyOfAnotherLeaderThanTheOneThatGaveTheGround() {
        for (Follower.Ground ground : new Follower.Ground[]{Follower.Ground.PROVEN, Follower.Ground.PROMOTION,
            Follower.Ground.DISCARD}) {
            assertThatExceptionOfType(StorageException.class).isThrownBy(() -> make(78, 40, ground))
                    .withMessageContaining("of another storage");
        }
        assertThat(Files.exists(folder.resolve(DataFolder.FRESH))).isFalse();
    }

    /** These copies fail later, because the dump in this test is empty. */
    @Test
    void takesALeaderThatHasAsMuchAndAnyIfTheNodeHasNothing() {
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> make(77, 31, Follower.Ground.PROVEN))
                .withMessageContaining("the checkpoint of the leader");
        assertThatExceptionOfType(StorageException.class).isThrownBy(() -> make(78, 2, Follower.Ground.EMPTY))
                .withMessageContaining("the checkpoint of the leader");
    }
}
