package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

import dev.weir.storage.StorageException;

/**
 * One file of the log. Its name is the revision of its first record, and its header repeats it.
 *
 * @param name the name of the file
 * @param first revision of its first record, present or future
 */
record Segment(String name, long first) {
    /** Bytes of the header; records follow. */
    static final int HEADER = 64;

    private static final String SUFFIX = ".log";
    private static final int DIGITS = 19;
    private static final Pattern NAME = Pattern.compile("[0-9]{" + DIGITS + "}" + Pattern.quote(SUFFIX));

    /** The last character is the version of the format. */
    private static final byte[] MAGIC = "WEIRLOG1".getBytes(StandardCharsets.US_ASCII);
    private static final int STORAGE_AT = 8;
    private static final int FIRST_AT = 16;
    private static final int CREATED_AT = 24;
    private static final int EPOCH_AT = 32;
    private static final int BRANCH_AT = 36;
    private static final int EPOCH_FIRST_AT = 40;
    private static final int CHECKSUM_AT = 48;
    private static final int FRESH_AT = 56;
    private static final int CRC_AT = HEADER - Integer.BYTES;

    static Segment of(long first) {
        return new Segment(String.format(Locale.ROOT, "%0" + DIGITS + "d", first) + SUFFIX, first);
    }

    /** A name after that of every valid first revision. */
    private static final String NO_MORE = Long.toString(Long.MAX_VALUE);

    /** Returns the segments among some files, in order. Other names, also with invalid revisions, are ignored. */
    static List<Segment> among(List<String> names) {
        List<Segment> segments = new ArrayList<>();
        for (String name : names) {
            if (NAME.matcher(name).matches() && name.substring(0, DIGITS).compareTo(NO_MORE) < 0) {
                long first = Long.parseLong(name, 0, DIGITS, 10);
                if (first > 0) {
                    segments.add(new Segment(name, first));
                }
            }
        }
        segments.sort(Comparator.comparingLong(Segment::first));
        return segments;
    }

    /** Returns those of all segments, in order, that hold updates after a revision; at least the last one. */
    static List<Segment> needed(List<Segment> all, long applied) {
        int from = 0;
        while (from + 1 < all.size() && all.get(from + 1).first() <= applied + 1) {
            from++;
        }
        return all.subList(from, all.size());
    }

    /**
     * The content of a header.
     *
     * @param created milliseconds since the epoch
     * @param epoch the epoch of the records; {@link LeaderEpoch#NONE} in a log of an earlier release
     * @param checksum the running checksum before the first record; 0 without an epoch
     */
    record Header(long created, LeaderEpoch epoch, long checksum) {}

    /** Returns the encoded header. */
    ByteBuffer header(long storageId, Header content) {
        ByteBuffer header = Records.buffer(HEADER);
        LeaderEpoch epoch = content.epoch();
        header.put(0, MAGIC).putLong(STORAGE_AT, storageId).putLong(FIRST_AT, first)
                .putLong(CREATED_AT, content.created()).putInt(EPOCH_AT, epoch.number())
                .putInt(BRANCH_AT, epoch.branch()).putLong(EPOCH_FIRST_AT, epoch.first())
                .putLong(CHECKSUM_AT, content.checksum()).put(FRESH_AT, (byte) (epoch.fresh() ? 1 : 0));
        return header.putInt(CRC_AT, sum(header));
    }

    private static int sum(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().limit(CRC_AT).position(0));
        return (int) crc.getValue();
    }

    /**
     * Reads the header.
     *
     * @return its content; empty if the header is damaged
     * @throws StorageException if the header is sound, but of another storage or a newer format
     */
    Optional<Header> readHeader(ReadableDisk disk, ReadableFile file, long storageId)
            throws IOException, StorageException {
        ByteBuffer header = Records.buffer(HEADER);
        file.readFully(header, 0);
        if (header.position() < HEADER || header.getInt(CRC_AT) != sum(header)) {
            return Optional.empty();
        }
        byte[] magic = new byte[MAGIC.length];
        header.get(0, magic);
        if (!Arrays.equals(magic, MAGIC)) {
            throw new StorageException(disk.describe(name) + " has a format that this program does not know; it was "
                    + "written by a newer weir: use that one");
        }
        if (header.getLong(STORAGE_AT) != storageId) {
            throw new ForeignLogException(disk.describe(name)
                    + " belongs to another storage than the store beside it; "
                    + "put back the files that belong to it, or run weir adopt --apply to go on with fuzzy.db and "
                    + "set the log aside");
        }
        return header.getLong(FIRST_AT) == first
                ? Optional.of(new Header(header.getLong(CREATED_AT),
                        new LeaderEpoch(header.getInt(EPOCH_AT), header.getInt(BRANCH_AT),
                                header.getLong(EPOCH_FIRST_AT),
                                header.get(FRESH_AT) != 0),
                        header.getLong(CHECKSUM_AT)))
                : Optional.empty();
    }
}
