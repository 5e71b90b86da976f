package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends to a file past the page cache, and to the disk with one system call: what lies in the cache has to be looked
 * for,
 * locked and marked before the disk gets the same blocks.
 *
 * <p>Whole blocks are written, the one that the last batch ended in once more with the same beginning; the rest of a
 * block is
 * zeros. Others may read the file as they always do: the system lets the page cache forget what is written here. For
 * one
 * thread.
 */
final class DirectWriter implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectWriter.class);

    /**
     * {@code O_DIRECT}; null where Java has none. By its name, since the compiler warns of whatever is not part of Java
     * SE and cannot
     * be told not to.
     */
    private static final @Nullable OpenOption DIRECT = direct();

    /**
     * Of which it is known that such a write lasts. Others may take the flags and leave it at that, as file systems
     * that are
     * programs may, which sync when they are asked to and only then.
     */
    static final Set<String> FILE_SYSTEMS = Set.of("ext4", "xfs", "btrfs");

    /** As the page cache would write. Larger blocks would be too much for a record of 416 bytes. */
    private static final long MAX_BLOCK = 4096;

    /** Written at once. */
    private static final int PORTION = 1 << 20;

    private final FileChannel channel;
    private final int block;
    private final ByteBuffer blocks;

    /** Where in the file the buffer begins, and how much of its first block is in the file already. */
    private long start;
    private int held;

    private DirectWriter(FileChannel channel, int block) {
        this.channel = channel;
        this.block = block;
        this.blocks = ByteBuffer.allocateDirect(PORTION + 2 * block).alignedSlice(block);
    }

    private static @Nullable OpenOption direct() {
        try {
            for (Object option : Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (option.toString().equals("DIRECT")) {
                    return (OpenOption) option;
                }
            }
        } catch (ClassNotFoundException e) {
            LOG.debug("this Java has no direct input and output", e);
        }
        return null;
    }

    /**
     * For what comes at a position of a file that has its full length; null when the file system is not one that does
     * this, or wants
     * blocks that are too large, and when the file's end is not that of a block.
     */
    static @Nullable DirectWriter open(Path file, long position) {
        if (DIRECT == null) {
            return null;
        }
        FileChannel channel = null;
        try {
            FileStore store = Files.getFileStore(file);
            long block = store.getBlockSize();
            if (!FILE_SYSTEMS.contains(store.type()) || block > MAX_BLOCK || Long.bitCount(block) != 1
                    || Files.size(file) % block != 0) {
                return null;
            }
            channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                    StandardOpenOption.DSYNC, DIRECT);
            DirectWriter writer = new DirectWriter(channel, (int) block);
            writer.moveTo(position);
            return writer;
        } catch (IOException | UnsupportedOperationException e) {
            LOG.debug("{} is written through the page cache", file, e);
            if (channel != null) {
                UpdateLog.closeQuietly(channel);
            }
            return null;
        }
    }

    /**
     * Writes all of the remaining bytes and returns when they are on the disk. Behind {@code position} the file must
     * hold
     * zeros, at least to the end of the block.
     *
     * @throws IOException after which it is unknown what was written, and this writer is unusable
     */
    void write(ByteBuffer source, long position) throws IOException {
        if (position != start + held) {
            moveTo(position);
        }
        while (source.hasRemaining()) {
            int count = Math.min(source.remaining(), PORTION);
            blocks.limit(blocks.capacity()).put(held, source, source.position(), count);
            source.position(source.position() + count);
            writeBlocks(held + count);
        }
    }

    private void writeBlocks(int bytes) throws IOException {
        int whole = (bytes + block - 1) / block * block;
        for (int i = bytes; i < whole; i++) {
            blocks.put(i, (byte) 0);
        }
        blocks.limit(whole).position(0);
        while (blocks.hasRemaining()) {
            if (channel.write(blocks, start + blocks.position()) <= 0) {
                throw new IOException("nothing could be written");
            }
        }
        int last = bytes / block * block;
        blocks.limit(bytes).position(last);
        held = blocks.remaining();
        blocks.compact();
        start += last;
    }

    /** Reads what the file has of the block that a position is in. */
    private void moveTo(long position) throws IOException {
        start = position / block * block;
        held = (int) (position - start);
        blocks.clear().limit(block);
        if (channel.read(blocks, start) != block) {
            throw new IOException("the block cannot be read at once that is to be continued");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
