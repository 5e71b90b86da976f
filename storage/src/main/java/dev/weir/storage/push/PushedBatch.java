package dev.weir.storage.push;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.Submission;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.wire.Protocol;

/**
 * A batch of a master that is being applied. It is in a file until it is complete, so that a crash only interrupts it.
 *
 * @param source the name under which its revisions count
 * @param start the last update of the log before its first one
 * @param master the address of the master
 * @param key the public key of the master
 * @param body the batch
 */
// Made once and never compared.
@SuppressWarnings("ArrayRecordComponent")
record PushedBatch(String source, long revision, long start, InetAddress master, byte[] key, byte[] body) {
    /** The credential of pushed updates in the audit trail. */
    static final String CREDENTIAL = "push";

    private static final byte[] MAGIC = "weir pushed batch 1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int MAX_NAME = 1_024;
    private static final int AGAIN = 0x8000;
    private static final int MIX = 0x9e3779b1;

    /** Writes the batch durably. */
    void write(Path file) throws StorageException {
        byte[] name = source.getBytes(StandardCharsets.UTF_8);
        byte[] address = master.getAddress();
        ByteBuffer out = ByteBuffer.allocate(MAGIC.length + 4 * Integer.BYTES + 2 * Long.BYTES + name.length
                + address.length + Protocol.KEY + body.length);
        out.put(MAGIC).putLong(revision).putLong(start).putInt(name.length).put(name).putInt(address.length)
                .put(address).put(key, 0, Protocol.KEY).putInt(body.length).put(body).putInt(Arrays.hashCode(body));
        try {
            FolderDisk.replace(file, out.array());
        } catch (IOException e) {
            throw new StorageException(file + " cannot be written: " + e.getMessage(), e);
        }
    }

    /**
     * Reads the file of a batch.
     *
     * @return empty if there is none
     * @throws StorageException if it cannot be read or understood
     */
    static Optional<PushedBatch> read(Path file) throws StorageException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            if (Files.size(file) > PushedUpdates.MAX_BYTES + 2L * MAX_NAME) {
                throw malformed(file);
            }
            ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
            if (!Arrays.equals(part(in, MAGIC.length), MAGIC)) {
                throw malformed(file);
            }
            long revision = in.getLong();
            long start = in.getLong();
            String source = new String(part(in, in.getInt()), StandardCharsets.UTF_8);
            InetAddress master = InetAddress.getByAddress(part(in, in.getInt()));
            byte[] key = part(in, Protocol.KEY);
            byte[] body = part(in, in.getInt());
            if (in.getInt() != Arrays.hashCode(body)) {
                throw malformed(file);
            }
            return Optional.of(new PushedBatch(source, revision, start, master, key, body));
        } catch (BufferUnderflowException e) {
            throw malformed(file);
        } catch (IOException e) {
            throw new StorageException(file + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static byte[] part(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] part = new byte[length];
        in.get(part);
        return part;
    }

    private static StorageException malformed(Path file) {
        return new StorageException(file + " is damaged; delete it, and start the mirror with a fresh copy");
    }

    private String prefix() {
        return revision + "/";
    }

    /**
     * Returns the author of an update of this batch.
     *
     * @param again whether the update was applied before, and removed by a later one that came too late
     */
    UpdateOrigin origin(int element, boolean again) {
        // Address, port and tag together occur once in a while, so that no update counts as the repetition of another.
        int port = (int) (revision & 0xffff) ^ (again ? AGAIN : 0);
        int tag = element + (source + "/" + revision).hashCode() * MIX;
        return new UpdateOrigin(master, port, tag, key,
                new Submission(master.getHostAddress(), CREDENTIAL, source, prefix() + element));
    }

    /** Returns the place in the batch of an update of the log, or -1 if it is not from this batch. */
    int elementOf(UpdateOrigin origin) {
        Submission by = origin.submission();
        Submission own = origin(0, false).submission();
        if (by == null || own == null || !by.credential().equals(CREDENTIAL) || !by.user().equals(own.user())
                || !by.messageId().startsWith(prefix())) {
            return -1;
        }
        try {
            return Integer.parseInt(by.messageId().substring(prefix().length()));
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
