package dev.weir.storage.waves;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code waves}: the key of the hashes of clients, and the strongest groups, compressed. Clients and senders
 * are only in it as keyed hashes and sketches.
 */
final class WaveFile {
    private static final Logger LOG = LoggerFactory.getLogger(WaveFile.class);

    /** The most groups that are saved. */
    static final int MOST = 4_096;

    /** More than a group needs with the longest curve. */
    private static final int MOST_BYTES_OF_A_GROUP = 8_192;
    private static final int MOST_BYTES = MOST * MOST_BYTES_OF_A_GROUP;

    static final StateFormat FORMAT = new StateFormat(DataFolder.WAVES, 2, MOST_BYTES);

    private WaveFile() {}

    /**
     * What a file holds.
     *
     * @param key the key under which clients were hashed
     */
    record Content(WaveKey key, List<SavedWave> waves) {}

    /** Reads a file for a table that keeps a number of hours. A damaged one is kept aside, and not used. */
    static Content read(StateFile file, int hours, Content without) {
        try {
            byte[] content = file.read().orElse(null);
            if (content == null) {
                return without;
            }
            try {
                return unpack(content, hours, MOST);
            } catch (IOException e) {
                file.setAside("its groups cannot be read (" + Reason.of(e) + ")");
            }
        } catch (StorageException e) {
            LOG.warn("the waves start from zero: {}", e.getMessage());
        }
        return without;
    }

    /** Reads what was packed, if it has at most some groups. */
    static Content unpack(byte[] content, int hours, int most) throws IOException {
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(new GZIPInputStream(new ByteArrayInputStream(content))
                        .readNBytes(most * MOST_BYTES_OF_A_GROUP)))) {
            WaveKey key = new WaveKey(in.readLong(), in.readLong(), in.readLong());
            int size = in.readInt();
            if (size < 0 || size > most) {
                throw new IOException(size + " groups; the most are " + most);
            }
            List<SavedWave> waves = new ArrayList<>(size);
            for (int i = 0; i < size; i++) {
                waves.add(SavedWave.read(in, hours));
            }
            return new Content(key, waves);
        }
    }

    /** Packs the content of a file. */
    static byte[] pack(Content content) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(packed))) {
            out.writeLong(content.key().k0());
            out.writeLong(content.key().k1());
            out.writeLong(content.key().madeMillis());
            out.writeInt(content.waves().size());
            for (SavedWave wave : content.waves()) {
                wave.write(out);
            }
        }
        return packed.toByteArray();
    }
}
