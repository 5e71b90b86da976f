package dev.weir.storage.replication;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.log.LeaderEpoch;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;

/**
 * What a node knows of its followers' places in its own history, and of the place where its epoch began, for the time
 * after its log has dropped them. The state file {@value DataFolder#FOLLOWERS} keeps it through restarts. Without it, a
 * follower that was away for too long waits for a person instead of copying everything. Thread-safe.
 */
public final class FollowerPositions {
    private static final int MAX_NAME = 1_024;
    private static final int MAX_FOLLOWERS = 256;
    private static final StateFormat FORMAT = new StateFormat(DataFolder.FOLLOWERS, 1,
            MAX_FOLLOWERS * (SentPositions.MOST * Long.BYTES + MAX_NAME) + 64);

    private final Map<String, SentPositions> positions = new ConcurrentHashMap<>();
    private volatile Optional<Begin> begin = Optional.empty();
    private byte[] saved = new byte[0];

    /** The checksum before the first update of an epoch. */
    private record Begin(LeaderEpoch epoch, long checksum) {}

    /** Returns the places of a follower. */
    SentPositions of(String follower) {
        return positions.computeIfAbsent(follower, _ -> new SentPositions());
    }

    /** Records the checksum before the first update of an epoch. */
    void began(LeaderEpoch epoch, long checksum) {
        begin = Optional.of(new Begin(epoch, checksum));
    }

    /** Returns the checksum before the first update of an epoch, if it is known. */
    OptionalLong beforeEpoch(LeaderEpoch epoch) {
        Optional<Begin> known = begin.filter(there -> there.epoch().isSame(epoch));
        return known.isPresent() ? OptionalLong.of(known.get().checksum()) : OptionalLong.empty();
    }

    /** Returns whether a node has written the file of a folder, which it does only as a node among others. */
    static boolean exist(StateFiles files) {
        return files.place(FORMAT).toFile().exists();
    }

    /**
     * Reads the file. Places of another history do not count: after a repair, for example, this node may lack what it
     * had there.
     */
    void load(StateFiles files, long storage, UpdateLog.Tip tip) throws StorageException {
        Optional<byte[]> content = files.read(FORMAT, storage);
        if (content.isPresent() && !restore(content.get(), tip)) {
            var _ = files.setAside(FORMAT, "it cannot be understood");
        }
    }

    /** Takes over what {@link #content} returned, as far as it still counts. Returns false if it is damaged. */
    public boolean restore(byte[] content, UpdateLog.Tip tip) {
        try {
            ByteBuffer in = ByteBuffer.wrap(content);
            LeaderEpoch epoch = epoch(in);
            Map<String, SentPositions> read = new TreeMap<>();
            long checksum = in.getLong();
            boolean known = in.get() != 0;
            int count = in.getInt();
            for (int i = 0; i < count; i++) {
                byte[] name = new byte[in.getShort()];
                in.get(name);
                long first = in.getLong();
                long[] sums = new long[in.getInt()];
                in.asLongBuffer().get(sums);
                in.position(in.position() + sums.length * Long.BYTES);
                read.put(new String(name, StandardCharsets.UTF_8), new SentPositions(first, sums));
            }
            boolean other = tip.epoch().fresh() && !tip.epoch().isSame(epoch);
            if (other || read.values().stream().anyMatch(places -> places.last() > tip.revision())) {
                return true;
            }
            positions.putAll(read);
            if (known) {
                began(epoch, checksum);
            }
            saved = content.clone();
            return true;
        } catch (BufferUnderflowException | NegativeArraySizeException | IllegalArgumentException e) {
            return false;
        }
    }

    /** Writes the file if it has changed. */
    synchronized void save(StateFiles files, long storage, LeaderEpoch epoch) throws IOException {
        byte[] content = content(epoch);
        if (!Arrays.equals(content, saved)) {
            files.write(FORMAT, storage, content);
            saved = content;
        }
    }

    /** Returns the content of the file. */
    public byte[] content(LeaderEpoch epoch) {
        Map<String, SentPositions.Places> all = new TreeMap<>();
        positions.forEach((name, places) -> all.put(name, places.places()));
        Optional<Begin> known = begin.filter(there -> there.epoch().isSame(epoch));
        ByteBuffer out = ByteBuffer.allocate(64 + all.values().stream()
                .mapToInt(places -> MAX_NAME + places.checksums().length * Long.BYTES + 32).sum());
        out.putInt(epoch.number()).putInt(epoch.branch()).putLong(epoch.first()).put((byte) (epoch.fresh() ? 1 : 0));
        out.putLong(known.map(Begin::checksum).orElse(0L)).put((byte) (known.isPresent() ? 1 : 0)).putInt(all.size());
        all.forEach((name, places) -> {
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            long[] sums = places.checksums();
            out.putShort((short) bytes.length).put(bytes).putLong(places.first()).putInt(sums.length);
            out.asLongBuffer().put(sums);
            out.position(out.position() + sums.length * Long.BYTES);
        });
        return Arrays.copyOf(out.array(), out.position());
    }

    private static LeaderEpoch epoch(ByteBuffer in) {
        return new LeaderEpoch(in.getInt(), in.getInt(), in.getLong(), in.get() != 0);
    }
}
