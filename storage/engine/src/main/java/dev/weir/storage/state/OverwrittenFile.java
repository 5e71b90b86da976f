package dev.weir.storage.state;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * A small state file that its storage overwrites in its place, often and without a sync. A crash of the machine may
 * bring an older content back, but leaves no mixture, because the file stays within one sector.
 */
public final class OverwrittenFile implements Closeable {
    private static final int SECTOR = 512;
    private static final int DIGITS = 2 * Integer.BYTES;

    private final FileChannel channel;
    private final ByteBuffer bytes;

    /** Where the content begins, after the first line, which ends in the checksum. */
    private final int start;

    /** Opens a file that has some bytes. */
    OverwrittenFile(Path file, byte[] bytes, int start) throws IOException {
        if (bytes.length > SECTOR) {
            throw new IllegalArgumentException(file + " has " + bytes.length + " bytes");
        }
        this.channel = FileChannel.open(file, StandardOpenOption.WRITE);
        this.bytes = ByteBuffer.allocateDirect(bytes.length).put(bytes);
        this.start = start;
    }

    /**
     * Overwrites the content.
     *
     * @param content as many bytes as it has
     */
    public void write(byte[] content) throws IOException {
        if (content.length != bytes.capacity() - start) {
            throw new IllegalArgumentException("the content has " + content.length + " bytes");
        }
        int digits = start - 1 - DIGITS;
        bytes.clear().put(start, content);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes.slice(0, digits));
        checksum.update(content);
        bytes.put(digits, HexFormat.of().toHexDigits(checksum.getValue(), DIGITS).getBytes(StandardCharsets.US_ASCII));
        while (bytes.hasRemaining()) {
            channel.write(bytes, bytes.position());
        }
    }

    /** Makes the last content durable. Any thread may call it. */
    public void force() throws IOException {
        channel.force(false);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
