package dev.weir.storage.hits;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

import dev.weir.model.failure.Reason;
import dev.weir.storage.log.FolderDisk;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The rings of all receiving threads, and the table into which they are emptied. */
public final class HitSampler {
    private static final Logger LOG = LoggerFactory.getLogger(HitSampler.class);

    /** "WHT1" at the beginning of a file. Its checksum is that of gzip. */
    private static final int MAGIC = 0x57485431;

    /** More than the largest table takes. */
    private static final int LONGEST = HitTable.MOST * 1_024;

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
        long minute = nowMillis / HitTable.MINUTE_MILLIS;
        for (HitRing ring : rings) {
            ring.drain((source, at, weight) -> table.add(source, at, weight, minute, nowMillis));
        }
    }

    /** Reads the counts of an earlier process. A damaged file is left out with a warning. */
    public void load(Path file) {
        try (InputStream packed = new GZIPInputStream(Files.newInputStream(file))) {
            // Reading to the end compares the checksum.
            byte[] bytes = packed.readNBytes(LONGEST + 1);
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            if (bytes.length > LONGEST || in.readInt() != MAGIC) {
                throw new IOException("it is not a file of hits of this version");
            }
            table.read(in);
        } catch (NoSuchFileException e) {
            LOG.debug("{} does not exist yet", file);
        } catch (IOException e) {
            LOG.warn("the hits of campaigns in {} cannot be read, and start again from zero: {}", file, Reason.of(e));
        }
    }

    /**
     * Writes the counts to a file.
     *
     * @throws IOException if it cannot be written; the old file is there then
     */
    public void save(Path file) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(packed))) {
            out.writeInt(MAGIC);
            table.write(out);
        }
        FolderDisk.replace(file, packed.toByteArray());
    }

    /** Returns the counts of the most frequent hashes. */
    public HitTable table() {
        return table;
    }
}
