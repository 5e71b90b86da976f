package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.failure.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file with zeros in place of blocks that the disk fails to read, so that one bad sector does not hide the data
 * around it. It records those blocks, because unreadable data must not count as unwritten. For one thread.
 */
final class PatchedFile implements ReadableFile {
    private static final Logger LOG = LoggerFactory.getLogger(PatchedFile.class);

    /** The unit in which the system reads, and therefore the minimum loss of one bad sector. */
    static final int BLOCK = 4_096;

    /** The maximum number of such blocks. More indicate a failing disk, which may need seconds for each. */
    private static final int MOST = 256;

    private record Hole(long from, long to) {}

    private final ReadableFile file;
    private final String name;
    private final List<Hole> holes = new ArrayList<>();

    /** Wraps a file; closing this closes it. {@code name} appears in messages. */
    PatchedFile(ReadableFile file, String name) {
        this.file = file;
        this.name = name;
    }

    /** Returns whether any byte between two positions was unreadable. */
    boolean misses(long from, long to) {
        return holes.stream().anyMatch(hole -> hole.from < to && from < hole.to);
    }

    @Override
    public long size() throws IOException {
        return file.size();
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
        try {
            return file.read(target, position);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            return readAgain(target, position);
        }
    }

    private int readAgain(ByteBuffer target, long position) throws IOException {
        try {
            return file.read(target, position);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            long end = Math.min(position / BLOCK * BLOCK + BLOCK, file.size());
            int count = (int) Math.min(end - position, target.remaining());
            if (count <= 0 || holes.size() == MOST) {
                throw e;
            }
            if (holes.isEmpty()) {
                LOG.warn("{} cannot be read at byte {}: {}", name, position, Reason.of(e));
            }
            holes.add(new Hole(position, position + count));
            target.put(new byte[count]);
            return count;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
