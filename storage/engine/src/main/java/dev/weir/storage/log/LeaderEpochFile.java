package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file in the folder of a log that says with which epoch its next segment begins. Programs that change a stopped
 * storage leave it; the next start obeys and deletes it.
 *
 * @param number of the epoch; 0 for that of the last segment
 * @param branch of the epoch
 * @param first revision of the epoch; 0 for the next one
 * @param fresh as in {@link LeaderEpoch}
 * @param last the last revision before the next segment; the file no longer counts at another one
 * @param checksum the running checksum up to {@code last}; empty if it starts again, at any revision
 */
record LeaderEpochFile(int number, int branch, long first, boolean fresh, long last, OptionalLong checksum) {
    static final String NAME = "epoch";

    private static final Logger LOG = LoggerFactory.getLogger(LeaderEpochFile.class);
    private static final int MAX_SIZE = 256;
    private static final Pattern CONTENT = Pattern
            .compile("weir epoch 1 (\\d{1,10}) ([0-9a-f]{1,8})(\\*?) (\\d{1,19}) (\\d{1,19}) (new|[0-9a-f]{1,16})\n");

    /** Asks for a new epoch without a history. */
    static LeaderEpochFile next(int number) {
        return new LeaderEpochFile(number, ThreadLocalRandom.current().nextInt(), 0, true, 0, OptionalLong.empty());
    }

    /** Returns the epoch that the file names. */
    LeaderEpoch epoch() {
        return new LeaderEpoch(number, branch, first, fresh);
    }

    /** Reads the file of a log. An unreadable one asks for a new epoch, which is always safe. */
    static Optional<LeaderEpochFile> read(Disk disk) throws IOException {
        if (!disk.names().contains(NAME)) {
            return Optional.empty();
        }
        ByteBuffer bytes = Records.buffer(MAX_SIZE);
        try (DiskFile file = disk.open(NAME)) {
            file.readFully(bytes, 0);
        } catch (NoSuchFileException e) {
            // The storage has begun its next segment.
            return Optional.empty();
        }
        Matcher content = CONTENT.matcher(StandardCharsets.US_ASCII.decode(bytes.flip()).toString());
        if (content.matches()) {
            try {
                String sum = content.group(6);
                return Optional.of(new LeaderEpochFile(Integer.parseInt(content.group(1)),
                        Integer.parseUnsignedInt(content.group(2), 16), Long.parseLong(content.group(4)),
                        !content.group(3).isEmpty(),
                        Long.parseLong(content.group(5)),
                        sum.equals("new") ? OptionalLong.empty() : OptionalLong.of(Long.parseUnsignedLong(sum, 16))));
            } catch (NumberFormatException e) {
                LOG.debug("{} has a number that is too large", disk.describe(NAME), e);
            }
        }
        LOG.warn("{} cannot be understood; the log begins a new epoch", disk.describe(NAME));
        return Optional.of(next(0));
    }

    /** Writes the file, and makes it durable. */
    void write(Disk disk) throws IOException {
        disk.delete(NAME);
        ByteBuffer bytes = Records.buffer(MAX_SIZE);
        bytes.put(("weir epoch 1 " + number + " " + Integer.toUnsignedString(branch, 16) + (fresh ? "*" : "") + " "
                + first + " " + last
                + " "
                + (checksum.isEmpty() ? "new" : Long.toUnsignedString(checksum.getAsLong(), 16)) + "\n")
                .getBytes(StandardCharsets.US_ASCII));
        try (DiskFile file = disk.create(NAME)) {
            file.writeFully(bytes.flip(), 0);
            file.force();
        }
        disk.force();
    }
}
