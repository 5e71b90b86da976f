package dev.weir.storage.replication;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;

/**
 * What a complete copy of a leader is, and what exactly it may replace: one storage at one place of its history. A
 * state file in the folder of the copy.
 *
 * @param replaced the number of the storage to replace
 * @param end the end of its log when the copy was made
 * @param copied the number of the storage in the copy
 * @param copyEnd the end of the copy
 * @param leader the number of the leader's storage
 * @param ground why the copy may replace it
 * @param extra the number of its updates that the leader lacks; -1 if unknown
 * @param millis when the copy was complete
 */
record CopyNote(long replaced, UpdateLog.Tip end, long copied, UpdateLog.Tip copyEnd, long leader,
        Follower.Ground ground, long extra, long millis) {
    private static final int BYTES = 2 * 33 + 5 * Long.BYTES + 1;

    /** The grounds by their numbers in the file. */
    private static final List<Follower.Ground> GROUNDS = List.of(Follower.Ground.EMPTY, Follower.Ground.PROVEN,
            Follower.Ground.PROMOTION, Follower.Ground.DISCARD);
    private static final StateFormat FORMAT = new StateFormat("complete", 1, BYTES);

    /** Writes the file durably: the copy is complete. */
    void write(StateFiles files) throws IOException {
        ByteBuffer out = ByteBuffer.allocate(BYTES);
        out.putLong(replaced);
        put(out, end);
        out.putLong(copied);
        put(out, copyEnd);
        out.putLong(leader).put((byte) GROUNDS.indexOf(ground)).putLong(extra).putLong(millis);
        files.write(FORMAT, copied, out.array());
    }

    /** Returns whether a copy claims to be complete. */
    static boolean exists(StateFiles files) {
        return files.place(FORMAT).toFile().exists();
    }

    /** Reads the file; empty if it is missing or damaged. */
    static Optional<CopyNote> read(StateFiles files) throws StorageException {
        Optional<byte[]> content = files.peek(FORMAT, 0);
        if (content.isEmpty() || content.get().length != BYTES) {
            return Optional.empty();
        }
        try {
            ByteBuffer in = ByteBuffer.wrap(content.get());
            long replaced = in.getLong();
            UpdateLog.Tip end = tip(in);
            long copied = in.getLong();
            UpdateLog.Tip copyEnd = tip(in);
            long leader = in.getLong();
            int ground = in.get();
            return ground < 0 || ground >= GROUNDS.size()
                    ? Optional.empty()
                    : Optional.of(new CopyNote(replaced, end, copied, copyEnd, leader,
                            GROUNDS.get(ground), in.getLong(), in.getLong()));
        } catch (BufferUnderflowException e) {
            return Optional.empty();
        }
    }

    private static void put(ByteBuffer out, UpdateLog.Tip tip) {
        LeaderEpoch epoch = tip.epoch();
        out.putLong(tip.revision()).putLong(tip.checksum()).putInt(epoch.number()).putInt(epoch.branch())
                .putLong(epoch.first()).put((byte) (epoch.fresh() ? 1 : 0));
    }

    private static UpdateLog.Tip tip(ByteBuffer in) {
        return new UpdateLog.Tip(in.getLong(), in.getLong(),
                new LeaderEpoch(in.getInt(), in.getInt(), in.getLong(), in.get() != 0));
    }
}
