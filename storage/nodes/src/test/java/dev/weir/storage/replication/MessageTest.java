package dev.weir.storage.replication;

import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RecentPlace;
import dev.weir.storage.log.RunningChecksum;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.notes.NodeNotes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MessageTest {
    private static final LeaderEpoch EPOCH = new LeaderEpoch(3, 0x9f1c02ab, 71, true);

    private static LoggedUpdate write(long revision, int flag) {
        return new LoggedUpdate(revision, 1_700_000_000_123L,
                new UpdateOrigin(InetAddress.ofLiteral("192.0.2.1"), 7, 9, null),
                new Update.Write(Samples.digest(5), flag, -3, 1_700_000_000L, Signature.of(Samples.shingles(5), 0)));
    }

    static Stream<Message> messages() {
        return Stream.of(new Message.Pull(1, EPOCH, 2, 3, 4, 5),
                new Message.Batch(EPOCH, 9, 8, 7, 6, List.of(1L, -1L), 5, 4, 3,
                        List.of(write(6, 1), new LoggedUpdate(7, 8, UpdateOrigin.STORAGE,
                                new Update.Refresh(Samples.digest(1), 4)))),
                new Message.Unfit(5, new UpdateLog.Tip(9, 8, EPOCH), 7, -1, true, Optional.of(new Message.Fork(1, -2)),
                        "because"),
                new Message.Unfit(5, new UpdateLog.Tip(9, 8, EPOCH), 7, -1, false, Optional.empty(), ""),
                new Message.Refused(LeaderEpoch.NONE, "no – never"),
                new Message.Fetch(1, -2, 3),
                new Message.Forward(1, 2, 3, List.of(write(1, 300))), new Message.Outcomes(7, List.of(true, false)));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void aMessageMeansTheSameAtTheOtherEnd(Message message) throws MessageException {
        byte[] bytes = Message.write(message);
        assertThat(Message.read(bytes)).isEqualTo(message);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            if (message instanceof Message.Outcomes && length >= 13) {
                continue;
            }
            if (message instanceof Message.Batch || message instanceof Message.Forward) {
                // Cut between two updates, it is a message with fewer of them. Its seal protects it.
                continue;
            }
            assertThatThrownBy(() -> Message.read(cut)).as("%d bytes", length).isInstanceOf(MessageException.class);
        }
    }

    @Test
    void aNoteMeansTheSameAtTheOtherEndAndIsBounded() throws MessageException {
        byte[] bytes = Message.write(new Message.Note(-7, new byte[]{1, 2, 3}));
        assertThat(Message.read(bytes)).isInstanceOfSatisfying(Message.Note.class, note -> {
            assertThat(note.node()).isEqualTo(-7);
            assertThat(note.bytes()).containsExactly(1, 2, 3);
        });
        byte[] tooLong = Message.write(new Message.Note(1, new byte[NodeNotes.MOST_BYTES + 1]));
        assertThatThrownBy(() -> Message.read(tooLong)).isInstanceOf(MessageException.class)
                .hasMessageContaining("1048577 bytes");
    }

    @Test
    void aPartMeansTheSameAtTheOtherEnd() throws MessageException {
        byte[] updates = Message.bytes(List.of(write(8, 1)));
        for (OptionalLong start : List.of(OptionalLong.of(-5), OptionalLong.empty())) {
            Message.Part part = new Message.Part(1, 2, true, true, 3, EPOCH, 8, -4, new RecentPlace(7, start), 9,
                    updates);
            Message.Part read = (Message.Part) Message.read(Message.write(part));
            assertThat(read).usingRecursiveComparison().isEqualTo(part);
            assertThat(read.updates()).containsExactly(write(8, 1));
        }
    }

    /** Version 2 was in use with other fields of a part, so that a node would have read the fields at wrong places. */
    @ParameterizedTest
    @ValueSource(chars = {'1', '2', '4'})
    void aMessageOfAnotherVersionIsRefusedWithBothVersions(char version) {
        byte[] message = Message.write(new Message.Fetch(1, -2, 3));
        message[3] = (byte) version;
        assertThatThrownBy(() -> Message.read(message)).isInstanceOf(MessageException.class)
                .hasMessage(
                        "it has version " + version + " of the feed, and this node speaks version 3: both nodes need "
                                + "the same release of Weir");
        message[0] = 'X';
        assertThatThrownBy(() -> Message.read(message))
                .hasMessage("it is not a message of this version of replication");
    }

    @Test
    void aFilteredUpdateKeepsItsPlaceInTheHistory() {
        Feed feed = new Feed(Map.of(11, 1), 5L, false);
        LoggedUpdate light = new LoggedUpdate(1, 2, UpdateOrigin.STORAGE,
                new Update.Write(Samples.digest(1), 11, 4, 3, null));
        LoggedUpdate heavy = new LoggedUpdate(1, 2, new UpdateOrigin(InetAddress.ofLiteral("192.0.2.1"), 7, 9, null),
                new Update.Write(Samples.digest(1), 11, 5, 3, null));
        LoggedUpdate other = new LoggedUpdate(1, 2, UpdateOrigin.STORAGE,
                new Update.Write(Samples.digest(1), 12, 50, 3, null));
        assertThat(feed.apply(heavy).update()).isEqualTo(new Update.Write(Samples.digest(1), 1, 5, 3, null));
        assertThat(feed.apply(heavy).origin().address()).isNull();
        for (LoggedUpdate withheld : List.of(light, other)) {
            LoggedUpdate given = feed.apply(withheld);
            assertThat(given.update()).isInstanceOf(Update.Refresh.class);
            Digest digest = given.update().digest();
            assertThat(digest).isNotEqualTo(Samples.digest(1));
            assertThat(digest.word(0) & ~0xffffL).isZero();
            assertThat(RunningChecksum.after(9, given)).isEqualTo(RunningChecksum.after(9, withheld));
        }
    }
}
