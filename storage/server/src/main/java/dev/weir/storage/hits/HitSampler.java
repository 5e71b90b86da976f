package dev.weir.storage.hits;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.sampling.CountCurve;
import dev.weir.storage.state.StateFile;
import dev.weir.storage.state.StateFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rings of all receiving threads, and the table into which they are emptied. */
public final class HitSampler {
    private static final Logger LOG = LoggerFactory.getLogger(HitSampler.class);

    /** "WHT1" at the beginning of the counts. */
    private static final int MAGIC = 0x57485431;

    /** More than the largest table takes. */
    private static final int LONGEST = HitTable.MOST * 1_024;

    /** The format of the file: the counts, compressed. Version 1 had the checksum of gzip only. */
    public static final StateFormat FORMAT = new StateFormat(DataFolder.HITS, 2, LONGEST);

    private final List<HitRing> rings = new CopyOnWriteArrayList<>();
    private final HitTable table = new HitTable();

    /** Creates a sampler without rings. */
    public HitSampler() {}

    /** Returns a new ring for one thread that answers checks. */
    public HitRing newRing() {
        HitRing ring = new HitRing();
        rings.add(ring);
        return ring;
    }

    /** Empties the rings into the table. One thread calls this about once a second. */
    public void collect(long nowMillis) {
        long minute = nowMillis / CountCurve.MINUTE_MILLIS;
        for (HitRing ring : rings) {
            ring.drain((source, at, weight) -> table.add(source, at, weight, minute, nowMillis));
        }
    }

    /** Reads the counts of an earlier process. A damaged file is kept aside, and the counts start from zero. */
    public void load(StateFile file) {
        try {
            Optional<byte[]> earlier = file.readEarlier();
            if (earlier.isPresent() && unpack(earlier.get()).isEmpty()) {
                return;
            }
            Optional<byte[]> content = file.read();
            Optional<String> wrong = content.isPresent() ? unpack(content.get()) : Optional.empty();
            if (wrong.isPresent()) {
                file.setAside(wrong.get());
            }
        } catch (StorageException e) {
            LOG.warn("the hits of campaigns start from zero: {}", e.getMessage());
        }
    }

    /** Takes the counts of a file. Returns why it cannot; nothing has changed then. */
    private Optional<String> unpack(byte[] content) {
        try (InputStream packed = new GZIPInputStream(new ByteArrayInputStream(content))) {
            // Reading to the end compares the checksum of gzip.
            byte[] bytes = packed.readNBytes(LONGEST + 1);
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            if (bytes.length > LONGEST || in.readInt() != MAGIC) {
                return Optional.of("it does not have hits");
            }
            table.read(in);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("its hits cannot be read (" + Reason.of(e) + ")");
        }
    }

    /**
     * Writes the counts to a file.
     *
     * @throws IOException if it cannot be written; the old file is there then
     */
    public void save(StateFile file) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(packed))) {
            out.writeInt(MAGIC);
            table.write(out);
        }
        file.write(packed.toByteArray());
    }

    /** Returns the counts of the most frequent hashes. */
    public HitTable table() {
        return table;
    }
}
