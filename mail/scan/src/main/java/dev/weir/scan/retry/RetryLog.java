package dev.weir.scan.retry;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.zip.CRC32C;

import dev.weir.model.HtmlSides;
import dev.weir.os.FolderSync;
import dev.weir.os.LockFile;
import dev.weir.os.OwnerOnly;
import dev.weir.scan.client.Question;
import dev.weir.scan.retry.PendingUpdate.Content;
import dev.weir.wire.Protocol;

/**
 * The file of a {@link RetryQueue}. It holds records of updates and of their ends; each record follows its length and
 * CRC32C, big endian. Opening the file truncates a record that a crash left incomplete at the end, and accepts an
 * earlier record only if its checksum matches. If one does not, it copies the rest to {@code NAME.damaged} before it
 * truncates it. Once most of the file has ended, it is rewritten without the ended
 * updates. For one thread, and for one process, which locks {@code NAME.lock} in the same folder.
 */
final class RetryLog implements AutoCloseable {
    private static final int MAGIC = 0x57524551; // WREQ
    private static final int VERSION = 1;
    private static final int HEADER = 8;
    private static final int FRAME = 8;
    private static final byte ADDED = 1;
    private static final byte ENDED = 2;
    /** As {@link #ADDED}, with a flag of four bytes and side hashes. */
    private static final byte ADDED_WIDE = 3;
    /** As {@link #ADDED_WIDE}, with the local port of the first attempt. */
    private static final byte ADDED_FROM = 4;
    private static final int LEAST_RECORD = 9;
    private static final int MOST_RECORD = 4096;
    /** How much of a damaged file is read at a time. */
    private static final int CHUNK = 1 << 16;
    /** The minimum size in bytes at which a file is rewritten. */
    private static final long SMALL = 1 << 20;

    private final Path file;
    private final LockFile lockFile;
    private FileChannel channel;
    private long nextId = 1;
    private long ended;

    private RetryLog(Path file, LockFile lockFile, FileChannel channel) {
        this.file = file;
        this.lockFile = lockFile;
        this.channel = channel;
    }

    /**
     * A log and the updates that it held when it was opened.
     *
     * @param cutAt where the file was truncated; its end, if it was not
     * @param cutBytes the number of bytes removed
     * @param damaged the copy of these bytes if they were more than a record that a crash left incomplete
     */
    record Opened(RetryLog log, SequencedMap<Long, PendingUpdate> pending, long cutAt, long cutBytes,
            Optional<Path> damaged) {
        /** Returns a sentence about the damage; empty if there is none. */
        Optional<String> sentence() {
            return damaged.map(copy -> "the retry queue " + log.file + " is damaged at byte " + cutAt + ": the "
                    + cutBytes + " bytes from there on, which may hold updates, were copied to " + copy
                    + " and cut off");
        }
    }

    /**
     * Opens or creates a file.
     *
     * @throws IOException if the file is inaccessible, is not a retry queue, or is in use by another process
     */
    static Opened open(Path file) throws IOException {
        Path absolute = file.toAbsolutePath();
        if (absolute.getParent() != null) {
            OwnerOnly.createFolders(absolute.getParent());
        }
        LockFile lockFile = LockFile.take(absolute.resolveSibling(absolute.getFileName() + ".lock"))
                .orElseThrow(() -> new IOException("the retry queue " + file + " is in use by another process"));
        try {
            FileChannel channel = OwnerOnly.open(absolute, StandardOpenOption.CREATE, StandardOpenOption.READ,
                    StandardOpenOption.WRITE);
            try {
                // Earlier versions left the permissions to the umask.
                OwnerOnly.tighten(absolute);
                return new RetryLog(absolute, lockFile, channel).read();
            } catch (Throwable e) {
                channel.close();
                throw e;
            }
        } catch (Throwable e) {
            lockFile.close();
            throw e;
        }
    }

    private Opened read() throws IOException {
        SequencedMap<Long, PendingUpdate> pending = new LinkedHashMap<>();
        long size = channel.size();
        if (size < HEADER) {
            channel.truncate(0);
            writeHeader(channel);
            channel.force(true);
            FolderSync.force(Objects.requireNonNull(file.getParent()));
            return new Opened(this, pending, 0, size, Optional.empty());
        }
        ByteBuffer head = readFully(0, HEADER);
        if (head.getInt() != MAGIC || head.getInt() != VERSION) {
            throw new IOException(file + " is not a retry queue, or has an unsupported version");
        }
        long at = HEADER;
        while (size - at >= FRAME) {
            ByteBuffer frame = readFully(at, FRAME);
            int length = frame.getInt();
            int sum = frame.getInt();
            if (!isLength(length) || size - at - FRAME < length) {
                break;
            }
            ByteBuffer record = readFully(at + FRAME, length);
            if (sum(record) != sum || !apply(record, pending)) {
                break;
            }
            at += FRAME + length;
        }
        Optional<Path> damaged = Optional.empty();
        if (at < size) {
            if (isMoreThanTorn(at, size)) {
                damaged = Optional.of(copyRest(at, size));
            }
            channel.truncate(at);
            channel.force(true);
        }
        channel.position(at);
        return new Opened(this, pending, at, size - at, damaged);
    }

    /** Returns whether the rest is more than a record that a crash left incomplete, or zeros in its place. */
    private boolean isMoreThanTorn(long from, long size) throws IOException {
        if (size - from > FRAME + MOST_RECORD) {
            return !isZero(from, size);
        }
        ByteBuffer rest = readFully(from, (int) (size - from));
        for (int at = 0; at <= rest.limit() - FRAME; at++) {
            int length = rest.getInt(at);
            if (isLength(length) && at + FRAME + length <= rest.limit()
                    && sum(rest.slice(at + FRAME, length)) == rest.getInt(at + Integer.BYTES)) {
                return true;
            }
        }
        return false;
    }

    private boolean isZero(long from, long size) throws IOException {
        for (long at = from; at < size; at += CHUNK) {
            ByteBuffer chunk = readFully(at, (int) Math.min(CHUNK, size - at));
            while (chunk.hasRemaining()) {
                if (chunk.get() != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    private Path copyRest(long from, long size) throws IOException {
        Path copy = file.resolveSibling(file.getFileName() + ".damaged");
        for (int i = 2; Files.exists(copy); i++) {
            copy = file.resolveSibling(file.getFileName() + ".damaged-" + i);
        }
        try (FileChannel target = OwnerOnly.open(copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            for (long at = from; at < size; at += CHUNK) {
                ByteBuffer chunk = readFully(at, (int) Math.min(CHUNK, size - at));
                while (chunk.hasRemaining()) {
                    target.write(chunk);
                }
            }
            target.force(true);
        }
        return copy;
    }

    private static boolean isLength(int length) {
        return length >= LEAST_RECORD && length <= MOST_RECORD;
    }

    private ByteBuffer readFully(long position, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer, position + buffer.position()) < 0) {
                throw new IOException(file + " became shorter while it was read");
            }
        }
        return buffer.flip();
    }

    private boolean apply(ByteBuffer record, SequencedMap<Long, PendingUpdate> pending) {
        byte type = record.get();
        long id = record.getLong();
        nextId = Math.max(nextId, id + 1);
        if (type == ENDED) {
            pending.remove(id);
            ended++;
            return !record.hasRemaining();
        }
        if (type != ADDED && type != ADDED_WIDE && type != ADDED_FROM) {
            return false;
        }
        Optional<PendingUpdate> update = decode(id, record, type != ADDED, type == ADDED_FROM);
        update.ifPresent(found -> pending.put(id, found));
        return update.isPresent();
    }

    /** Stores updates durably: they are on disk when this method returns. */
    List<PendingUpdate> add(List<Content> updates, long now) throws IOException {
        List<PendingUpdate> added = new ArrayList<>();
        List<ByteBuffer> records = new ArrayList<>();
        for (Content update : updates) {
            PendingUpdate pending = new PendingUpdate(nextId++, now, update);
            added.add(pending);
            records.add(encode(pending));
        }
        append(records);
        return added;
    }

    /** Marks updates as ended. After a crash, an ended update may reappear and is sent once more. */
    void end(Collection<PendingUpdate> updates) throws IOException {
        List<ByteBuffer> records = new ArrayList<>();
        for (PendingUpdate update : updates) {
            records.add(framed(ByteBuffer.allocate(9).put(ENDED).putLong(update.id()).flip()));
        }
        append(records);
        ended += updates.size();
    }

    private void append(List<ByteBuffer> records) throws IOException {
        long before = channel.position();
        try {
            for (ByteBuffer record : records) {
                while (record.hasRemaining()) {
                    channel.write(record);
                }
            }
            channel.force(false);
        } catch (IOException e) {
            // An incomplete record must not precede later ones.
            channel.truncate(before);
            channel.position(before);
            throw e;
        }
    }

    /** Rewrites the file with the pending updates only, if most of it has ended. */
    void shrink(Collection<PendingUpdate> pending) throws IOException {
        if (channel.size() < SMALL || ended < 2L * pending.size()) {
            return;
        }
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        FileChannel target = OwnerOnly.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        try {
            writeHeader(target);
            for (PendingUpdate update : pending) {
                ByteBuffer record = encode(update);
                while (record.hasRemaining()) {
                    target.write(record);
                }
            }
            target.force(true);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (Throwable e) {
            target.close();
            throw e;
        }
        channel.close();
        channel = target;
        ended = 0;
        // Otherwise, a power failure could bring the old file back, without the updates that come now.
        FolderSync.force(Objects.requireNonNull(file.getParent()));
    }

    private static void writeHeader(FileChannel target) throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER).putInt(MAGIC).putInt(VERSION).flip();
        while (header.hasRemaining()) {
            target.write(header);
        }
    }

    private static ByteBuffer framed(ByteBuffer record) {
        int length = record.remaining();
        return ByteBuffer.allocate(FRAME + length).putInt(length).putInt(sum(record)).put(record)
                .flip();
    }

    private static int sum(ByteBuffer record) {
        CRC32C crc = new CRC32C();
        crc.update(record.duplicate());
        return (int) crc.getValue();
    }

    private static ByteBuffer encode(PendingUpdate pending) {
        Content update = pending.content();
        ByteBuffer record = ByteBuffer.allocate(MOST_RECORD);
        boolean from = update.port() != 0;
        boolean wide = from || update.flag() > Question.LARGEST_PLAIN_FLAG || update.sides() != null;
        record.put(from ? ADDED_FROM : wide ? ADDED_WIDE : ADDED).putLong(pending.id()).putLong(pending.since());
        text(record, update.rule());
        text(record, update.server());
        record.put((byte) update.command());
        if (wide) {
            record.putInt(update.flag());
        } else {
            record.put((byte) update.flag());
        }
        record.putInt(update.value()).putInt(update.tag());
        record.put(update.digest()).put((byte) update.shingles().length);
        for (long shingle : update.shingles()) {
            record.putLong(shingle);
        }
        HtmlSides sides = update.sides();
        if (wide) {
            record.putLong(sides == null ? 0 : sides.ctaDomains()).putLong(sides == null ? 0 : sides.allDomains())
                    .putLong(sides == null ? 0 : sides.features());
        }
        if (from) {
            record.putInt(update.port());
        }
        return framed(record.flip());
    }

    private static void text(ByteBuffer record, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > Content.MOST_NAME) {
            throw new IllegalArgumentException("the name is too long: " + bytes.length + " bytes");
        }
        record.putShort((short) bytes.length).put(bytes);
    }

    private static Optional<PendingUpdate> decode(long id, ByteBuffer record, boolean wide, boolean from) {
        if (record.remaining() < Long.BYTES) {
            return Optional.empty();
        }
        long since = record.getLong();
        Optional<String> rule = text(record);
        Optional<String> server = rule.isEmpty() ? rule : text(record);
        if (server.isEmpty() || record.remaining() < 1 + (wide ? 4 : 1) + 4 + 4 + Protocol.DIGEST + 1) {
            return Optional.empty();
        }
        int command = record.get() & 0xff;
        int flag = wide ? record.getInt() : record.get() & 0xff;
        int value = record.getInt();
        int tag = record.getInt();
        byte[] digest = new byte[Protocol.DIGEST];
        record.get(digest);
        int count = record.get() & 0xff;
        if ((count != 0 && count != Protocol.SHINGLES) || flag < 0
                || record.remaining() != count * Long.BYTES + (wide ? HtmlSides.BYTES : 0)
                        + (from ? Integer.BYTES : 0)) {
            return Optional.empty();
        }
        long[] shingles = new long[count];
        for (int i = 0; i < count; i++) {
            shingles[i] = record.getLong();
        }
        HtmlSides sides = null;
        if (wide) {
            long cta = record.getLong();
            long all = record.getLong();
            long features = record.getLong();
            sides = features == 0 ? null : new HtmlSides(all, cta, features);
        }
        return Optional.of(new PendingUpdate(id, since,
                new Content(rule.orElseThrow(), server.get(), command, flag, value, tag, digest, shingles,
                        sides, from ? record.getInt() & 0xffff : 0)));
    }

    private static Optional<String> text(ByteBuffer record) {
        if (record.remaining() < Short.BYTES) {
            return Optional.empty();
        }
        int length = record.getShort() & 0xffff;
        if (length > Content.MOST_NAME || length > record.remaining()) {
            return Optional.empty();
        }
        byte[] bytes = new byte[length];
        record.get(bytes);
        return Optional.of(new String(bytes, StandardCharsets.UTF_8));
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            lockFile.close();
        }
    }
}
