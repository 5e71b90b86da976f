package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * A small file beside the segments in which a log says up to which revision everything is on disk.
 *
 * <p>It is for readers in other processes. The last batch in the files may be one that is being written, or one whose
 * force failed and whose clients were told so: nothing in the segments tells it from one that was acknowledged. A
 * reader that goes no further than this mark meets neither, nor the zeros that stand where a batch arrives while it
 * reads.
 *
 * <p>The mark is written after each force and before anybody hears of it, and is not forced, except at the end: another
 * process sees it at once, also after this one was killed. After the machine failed, an older one may be there, which
 * the number of the machine's run tells. What an old one says is still true: so much was on disk.
 */
final class ForcedMark implements Closeable {
    static final String NAME = "forced";

    static final int BYTES = 64;

    private static final byte[] MAGIC = "WEIRFRC1".getBytes(StandardCharsets.US_ASCII);
    private static final int STORAGE_AT = 8;
    private static final int BOOT_AT = 16;
    private static final int REVISION_AT = 32;
    private static final int STATE_AT = 40;
    private static final int CRC_AT = BYTES - Integer.BYTES;

    /** A read may meet a write; the next one sees what was written. */
    private static final int TRIES = 10;

    /** How far a mark can be relied on. */
    enum State {
        /** No mark that can be read, or one that is older than the last failure of the machine: there may be more. */
        PAST(0),
        /** What was acknowledged is up to there, and more may come at any time. */
        LIVE(1),
        /** What was acknowledged is up to there, and the log was closed. */
        CLOSED(2);

        /** As it is written. */
        final int number;

        State(int number) {
            this.number = number;
        }
    }

    /**
     * What a mark says.
     *
     * @param revision up to which everything is on disk
     */
    record Forced(long revision, State state) {
        static final Forced UNKNOWN = new Forced(0, State.PAST);

        /** Returns whether nothing behind the revision was acknowledged, when this was read. */
        boolean isExact() {
            return state != State.PAST;
        }
    }

    private final DiskFile file;
    private final ByteBuffer content = Records.buffer(BYTES);

    private ForcedMark(DiskFile file, long storageId, UUID boot) {
        this.file = file;
        content.put(0, MAGIC).putLong(STORAGE_AT, storageId).putLong(BOOT_AT, boot.getMostSignificantBits())
                .putLong(BOOT_AT + Long.BYTES, boot.getLeastSignificantBits());
    }

    /** Takes the place of the mark that was there, with this revision. */
    static ForcedMark open(Disk disk, long storageId, long revision) throws IOException {
        boolean exists = disk.names().contains(NAME);
        ForcedMark mark = new ForcedMark(exists ? disk.open(NAME) : disk.create(NAME), storageId, disk.boot());
        try {
            mark.write(revision);
            return mark;
        } catch (Throwable e) {
            UpdateLog.closeQuietly(mark);
            throw e;
        }
    }

    /** Says that everything up to a revision is on disk. */
    void write(long revision) throws IOException {
        write(revision, State.LIVE);
    }

    /** The same, for good. */
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
            UpdateLog.LOG.warn("{} cannot be read: {}", disk.describe(NAME), e.getMessage());
        }
        return Forced.UNKNOWN;
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
        return new Forced(content.getLong(REVISION_AT), number == State.CLOSED.number ? State.CLOSED : live);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
