package dev.weir.storage.push;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.log.LogMark;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;
import dev.weir.wire.Protocol;

/**
 * A batch of a master that is being applied. It is in a file until it is complete, so that a crash only interrupts it.
 *
 * @param source the source under which it counts
 * @param start the end of this storage's log before its first update
 * @param to the place in the log of the master after it; empty for a master that does not say it
 * @param master the address of the master
 * @param key the public key of the master
 * @param body the batch
 */
// Made once and never compared.
@SuppressWarnings("ArrayRecordComponent")
record PushedBatch(SourceKey source, long revision, LogMark start, Optional<LogPlace> to, InetAddress master,
        byte[] key, byte[] body) {
    /** The credential of pushed updates in the audit trail. */
    static final String CREDENTIAL = "push";

    private static final int MAX_NAME = 1_024;
    static final StateFormat FORMAT = new StateFormat(DataFolder.PUSHED_BATCH, 1,
            PushedUpdates.MAX_BYTES + 2 * MAX_NAME);
    private static final byte[] OLD_MAGIC = "weir pushed batch 1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int AGAIN = 0x8000;
    private static final int MIX = 0x9e3779b1;
    /** A place of another batch, or of none, in {@link #elementOf}. */
    private static final int OTHER = -1;

    /** Writes the batch durably. */
    void write(StateFiles files, long storage) throws StorageException {
        byte[] name = source.name().getBytes(StandardCharsets.UTF_8);
        byte[] mark = start.toString().getBytes(StandardCharsets.US_ASCII);
        byte[] place = to.map(LogPlace::toString).orElse("").getBytes(StandardCharsets.US_ASCII);
        byte[] address = master.getAddress();
        ByteBuffer out = ByteBuffer.allocate(2 * Long.BYTES + 5 * Integer.BYTES + name.length + mark.length
                + place.length + address.length + Protocol.KEY + body.length);
        out.putLong(revision).putLong(source.storage());
        for (byte[] part : List.of(name, mark, place, address)) {
            out.putInt(part.length).put(part);
        }
        out.put(key, 0, Protocol.KEY).putInt(body.length).put(body);
        try {
            files.write(FORMAT, storage, out.array());
        } catch (IOException e) {
            throw new StorageException(files.place(FORMAT) + " cannot be written: " + Reason.of(e), e);
        }
    }

    /**
     * Reads the file of a batch. A file that is damaged, or of another storage, is kept aside.
     *
     * @param storage the number of the storage
     * @return empty if there is none
     * @throws StorageException if it cannot be read
     */
    static Optional<PushedBatch> read(StateFiles files, long storage) throws StorageException {
        Optional<PushedBatch> old = readOld(files.place(FORMAT));
        if (old.isPresent()) {
            return old;
        }
        Optional<byte[]> content = files.read(FORMAT, storage);
        if (content.isEmpty()) {
            return Optional.empty();
        }
        try {
            ByteBuffer in = ByteBuffer.wrap(content.get());
            long revision = in.getLong();
            long owner = in.getLong();
            String name = new String(part(in, in.getInt()), StandardCharsets.UTF_8);
            LogMark start = LogMark.parse(new String(part(in, in.getInt()), StandardCharsets.US_ASCII))
                    .orElseThrow(BufferUnderflowException::new);
            String place = new String(part(in, in.getInt()), StandardCharsets.US_ASCII);
            InetAddress master = InetAddress.getByAddress(part(in, in.getInt()));
            return Optional.of(new PushedBatch(new SourceKey(name, owner), revision, start, LogPlace.parse(place),
                    master, part(in, Protocol.KEY), part(in, in.getInt())));
        } catch (BufferUnderflowException | UnknownHostException e) {
            files.setAside(FORMAT, "it ends too early");
            return Optional.empty();
        }
    }

    /** Reads the file of an earlier version, if its checksum is right. */
    private static Optional<PushedBatch> readOld(Path place) throws StorageException {
        try {
            if (!Files.exists(place) || Files.size(place) > FORMAT.maxBytes()) {
                return Optional.empty();
            }
            ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(place));
            if (!Arrays.equals(part(in, OLD_MAGIC.length), OLD_MAGIC)) {
                return Optional.empty();
            }
            long revision = in.getLong();
            LogMark start = new LogMark(in.getLong(), 0, 0, 0);
            SourceKey source = SourceKey.ofRspamd(new String(part(in, in.getInt()), StandardCharsets.UTF_8));
            InetAddress master = InetAddress.getByAddress(part(in, in.getInt()));
            byte[] key = part(in, Protocol.KEY);
            byte[] body = part(in, in.getInt());
            return in.getInt() == Arrays.hashCode(body) && !in.hasRemaining()
                    ? Optional.of(new PushedBatch(source, revision, start, Optional.empty(), master, key, body))
                    : Optional.empty();
        } catch (BufferUnderflowException | UnknownHostException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw new StorageException(place + " cannot be read: " + Reason.of(e), e);
        }
    }

    /** Returns whether an earlier version wrote it, which did not note the history of the log. */
    boolean isOld() {
        return start.checksum() == 0 && start.epoch() == 0 && start.branch() == 0;
    }

    private static byte[] part(ByteBuffer in, int length) {
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] part = new byte[length];
        in.get(part);
        return part;
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
        int tag = element + (source.name() + "/" + revision).hashCode() * MIX;
        return new UpdateOrigin(master, port, tag, key,
                new UpdateSubmitter(master.getHostAddress(), CREDENTIAL, source.name(), prefix() + element));
    }

    /** Returns the place in the batch of an update of the log, or -1 if it is not from this batch. */
    int elementOf(UpdateOrigin origin) {
        UpdateSubmitter by = origin.submission();
        if (by == null || numberOf(source.name(), origin) != revision) {
            return OTHER;
        }
        try {
            return Integer.parseInt(by.messageId().substring(prefix().length()));
        } catch (NumberFormatException e) {
            return OTHER;
        }
    }

    /** Returns the number of the batch of an update of the log, or -1 if no batch under this name brought it. */
    static long numberOf(String name, UpdateOrigin origin) {
        UpdateSubmitter by = origin.submission();
        // The audit trail may shorten a long name.
        if (by == null || !by.credential().equals(CREDENTIAL)
                || !by.user().equals(new UpdateSubmitter("", CREDENTIAL, name, "").user())) {
            return OTHER;
        }
        int end = by.messageId().indexOf('/');
        try {
            return end < 0 ? OTHER : Long.parseLong(by.messageId().substring(0, end));
        } catch (NumberFormatException e) {
            return OTHER;
        }
    }
}
