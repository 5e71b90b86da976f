package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

import dev.weir.model.failure.Reason;

/**
 * A small file beside the segments that contains the last durable revision.
 *
 * <p>It is for readers in other processes. The last batch in the files may be in progress, or its sync may have failed
 * and its clients got errors; nothing in the segments distinguishes it from an acknowledged batch. A reader that stops
 * at the mark sees no such batch, and no zeros where a batch is being written.
 *
 * <p>The mark is written after each sync and before any client gets a reply. It is synced only at the start and at the
 * end. Other processes see it at once, also after this process was killed. After a crash of the machine, the file may
 * contain an older mark of the same run, which its boot id reveals. The content of an old mark is still true:
 * everything up to it was on disk.
 */
final class ForcedMark implements Closeable {
    static final String NAME = "forced";

    static final int BYTES = 64;

    private static final String DAMAGED = "damaged-forced";

    private static final byte[] MAGIC = "WEIRFRC1".getBytes(StandardCharsets.US_ASCII);
    private static final int STORAGE_AT = 8;
    private static final int BOOT_AT = 16;
    private static final int REVISION_AT = 32;
    private static final int STATE_AT = 40;
    private static final int RUN_AT = 48;
    private static final int CRC_AT = BYTES - Integer.BYTES;

    /** A read may collide with a write; the next one succeeds. */
    private static final int TRIES = 10;

    /** The reliability of a mark. */
    enum State {
        /** The mark is unreadable, or older than the last crash of the machine. More updates may be on disk. */
        PAST(0),
        /** All synced updates are up to the mark, and more may follow at any time. */
        LIVE(1),
        /** All synced updates are up to the mark, and the log was closed. */
        CLOSED(2);

        /** The number in the file. */
        final int number;

        State(int number) {
            this.number = number;
        }
    }

    /**
     * The content of a mark.
     *
     * @param revision the last durable revision
     * @param run the number of the run of the storage that wrote it; -1 if unknown
     */
    record Forced(long revision, State state, long run) {
        static final Forced UNKNOWN = new Forced(0, State.PAST, -1);

        /** Returns the mark with what is known from elsewhere: everything up to a revision was on disk. */
        Forced atLeast(long least) {
            return least <= revision ? this : new Forced(least, state, run);
        }

        /** Returns whether nothing after the revision was synced when the mark was read. */
        boolean isExact() {
            return state != State.PAST;
        }
    }

    private final DiskFile file;
    private final ByteBuffer content = Records.buffer(BYTES);

    private ForcedMark(DiskFile file, long storageId, UUID boot, long run) {
        this.file = file;
        content.put(0, MAGIC).putLong(STORAGE_AT, storageId).putLong(BOOT_AT, boot.getMostSignificantBits())
                .putLong(BOOT_AT + Long.BYTES, boot.getLeastSignificantBits()).putLong(RUN_AT, run);
    }

    /**
     * Replaces the mark of a log. It is synced this once: after a power cut, the mark of an earlier run must not come
     * back and say that the log was closed and nothing followed.
     *
     * @param run the number of the run
     */
    static ForcedMark open(Disk disk, long storageId, long run, long revision) throws IOException {
        boolean exists = disk.names().contains(NAME);
        ForcedMark mark = new ForcedMark(exists ? disk.open(NAME) : disk.create(NAME), storageId, disk.boot(),
                run);
        try {
            mark.write(revision);
            mark.file.force();
            return mark;
        } catch (Throwable e) {
            UpdateLog.closeQuietly(mark);
            throw e;
        }
    }

    /** Records that everything up to a revision is on disk. */
    void write(long revision) throws IOException {
        write(revision, State.LIVE);
    }

    /** Like {@link #write}, but synced, for the end. */
    void writeLast(long revision) throws IOException {
        write(revision, State.CLOSED);
        file.force();
    }

    private void write(long revision, State state) throws IOException {
        content.putLong(REVISION_AT, revision).putInt(STATE_AT, state.number).putInt(CRC_AT, sum(content));
        file.writeFully(content.duplicate().clear(), 0);
    }

    private static int sum(ByteBuffer content) {
        CRC32C crc = new CRC32C();
        crc.update(content.duplicate().limit(CRC_AT).position(0));
        return (int) crc.getValue();
    }

    /** Reads the mark of a storage's log; {@link Forced#UNKNOWN} if it is absent, unreadable or malformed. */
    static Forced read(Disk disk, long storageId) {
        try (ReadableFile file = disk.open(NAME)) {
            ByteBuffer content = Records.buffer(BYTES);
            for (int i = 0; i < TRIES; i++) {
                file.readFully(content.clear(), 0);
                if (!content.hasRemaining() && content.getInt(CRC_AT) == sum(content)) {
                    return understand(content, storageId, disk.boot());
                }
            }
        } catch (NoSuchFileException e) {
            return Forced.UNKNOWN;
        } catch (IOException e) {
            UpdateLog.LOG.warn("{} cannot be read: {}", disk.describe(NAME), Reason.of(e));
        }
        return Forced.UNKNOWN;
    }

    /**
     * Keeps a damaged mark of a stopped log under another name, because the log will replace it. A crash of the machine
     * may leave a mark without content, which says nothing.
     */
    static void keepDamaged(Disk disk) throws IOException {
        List<String> names = disk.names();
        if (!names.contains(NAME)) {
            return;
        }
        ByteBuffer content = Records.buffer(BYTES);
        try (ReadableFile file = disk.open(NAME)) {
            file.readFully(content, 0);
        }
        boolean whole = !content.hasRemaining() && content.getInt(CRC_AT) == sum(content);
        if (whole || isZero(content)) {
            return;
        }
        String kept = DAMAGED;
        for (int i = 2; names.contains(kept); i++) {
            kept = DAMAGED + "-" + i;
        }
        disk.rename(NAME, kept);
        UpdateLog.LOG.error("{} is damaged and not used; it is kept as {}. The log is read without it",
                disk.describe(NAME), disk.describe(kept));
    }

    private static boolean isZero(ByteBuffer content) {
        for (int i = 0; i < content.position(); i++) {
            if (content.get(i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static Forced understand(ByteBuffer content, long storageId, UUID boot) {
        byte[] magic = new byte[MAGIC.length];
        content.get(0, magic);
        int number = content.getInt(STATE_AT);
        if (!Arrays.equals(magic, MAGIC) || content.getLong(STORAGE_AT) != storageId
                || (number != State.LIVE.number && number != State.CLOSED.number)) {
            return Forced.UNKNOWN;
        }
        boolean sameRun = content.getLong(BOOT_AT) == boot.getMostSignificantBits()
                && content.getLong(BOOT_AT + Long.BYTES) == boot.getLeastSignificantBits();
        State live = sameRun ? State.LIVE : State.PAST;
        return new Forced(content.getLong(REVISION_AT), number == State.CLOSED.number ? State.CLOSED : live,
                Math.max(0, content.getLong(RUN_AT)));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
