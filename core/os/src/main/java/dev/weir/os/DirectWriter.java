package dev.weir.os;

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
 * A writer that appends to a file past the page cache, with one system call for each batch. Writing through the cache
 * costs more, because the kernel must find, lock and mark the cached pages first.
 *
 * <p>It writes whole blocks. The block in which a batch ends is written again with the next batch; its beginning stays
 * the same and its rest is zeros. Other programs may read the file as usual: the kernel drops the cached pages that a
 * write replaces. For one thread.
 */
public final class DirectWriter implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(DirectWriter.class);

    /**
     * The option {@code O_DIRECT}; null where Java has none. It is looked up by name because the compiler warns about
     * classes outside of Java SE.
     */
    private static final @Nullable OpenOption DIRECT = direct();

    /**
     * File systems on which direct writes are durable. Others, such as FUSE programs, may accept the flags and still
     * delay writes.
     */
    public static final Set<String> FILE_SYSTEMS = Set.of("ext4", "xfs", "btrfs");

    /** The page size. Larger blocks would cost too much for small records. */
    private static final long MAX_BLOCK = 4096;

    /** Bytes of one write call. */
    private static final int PORTION = 1 << 20;

    private final FileChannel channel;
    private final int block;
    private final ByteBuffer blocks;

    /** The file position of the buffer, and how many bytes of its first block are in the file already. */
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
     * Opens a writer for a file that has its full length.
     *
     * @param position where the first batch begins
     * @return null if the file system is not in {@link #FILE_SYSTEMS}, if its blocks are too large, or if the length of
     *         the file is not a multiple of the block size
     */
    public static @Nullable DirectWriter open(Path file, long position) {
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
                closeQuietly(channel);
            }
            return null;
        }
    }

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a file failed", e);
        }
    }

    /**
     * Writes all remaining bytes and returns when they are on the disk. From {@code position} to the end of its block,
     * the file must hold nothing of use, because zeros replace it.
     *
     * @throws IOException if a write fails; the state of the written bytes is unknown then, and this writer is unusable
     */
    public void write(ByteBuffer source, long position) throws IOException {
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
                throw new IOException("the system wrote nothing");
            }
        }
        int last = bytes / block * block;
        blocks.limit(bytes).position(last);
        held = blocks.remaining();
        blocks.compact();
        start += last;
    }

    /** Reads the block that contains a position. */
    private void moveTo(long position) throws IOException {
        start = position / block * block;
        held = (int) (position - start);
        blocks.clear().limit(block);
        if (channel.read(blocks, start) != block) {
            throw new IOException("the system did not read a whole block");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
