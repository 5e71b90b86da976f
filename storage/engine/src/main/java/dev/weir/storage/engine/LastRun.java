package dev.weir.storage.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.model.failure.Reason;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.state.StateFiles;
import dev.weir.storage.state.StateFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the file {@value DataFolder#CLOCK} says of the last run. It is one witness of the time among others; without it,
 * the log or the hashes provide a less precise time, and a removal of many hashes at the start waits for an operator.
 *
 * @param millis a recent time at which the storage was running
 * @param swept the second before which every flag was removed; empty if none was
 * @param doubt the doubt in the clock; empty if there was none
 */
public record LastRun(long millis, OptionalLong swept, Optional<StorageClock.Doubt> doubt) {
    private static final Logger LOG = LoggerFactory.getLogger(LastRun.class);

    /** The format of the file. Version 1 had no checksum. */
    public static final StateFormat FORMAT = new StateFormat(DataFolder.CLOCK, 2, 96);
    private static final Pattern CONTENT = Pattern
            .compile("([0-9]{1,15}) (-|-?[0-9]{1,15})(?: ([0-9]{1,15}) ([0-9]{1,15}))?\n");
    private static final Pattern WITHOUT_CHECKSUM = Pattern.compile("weir clock 1\n[0-9]{1,15}\n");
    private static final int MAX_OLD_SIZE = 64;

    /** A run without a doubt in the clock. */
    public LastRun(long millis, OptionalLong swept) {
        this(millis, swept, Optional.empty());
    }

    static Optional<LastRun> read(StateFiles files, long storageId) throws StorageException {
        if (isWithoutChecksum(files)) {
            LOG.info("{} is of an earlier version, without a checksum; it is not used", files.place(FORMAT));
            return Optional.empty();
        }
        Optional<byte[]> content = files.read(FORMAT, storageId);
        if (content.isEmpty()) {
            return Optional.empty();
        }
        Optional<LastRun> known = parse(content.get());
        if (known.isEmpty()) {
            files.setAside(FORMAT, "its content is not a time");
        }
        return known;
    }

    private static Optional<LastRun> parse(byte[] content) {
        Matcher parts = CONTENT.matcher(new String(content, StandardCharsets.ISO_8859_1));
        if (!parts.matches()) {
            return Optional.empty();
        }
        return Optional.of(new LastRun(Long.parseLong(parts.group(1)), parts.group(2).equals("-")
                ? OptionalLong.empty()
                : OptionalLong.of(Long.parseLong(parts.group(2))),
                Optional.ofNullable(parts.group(3)).map(ahead -> new StorageClock.Doubt(Long.parseLong(ahead),
                        Long.parseLong(parts.group(4))))));
    }

    /**
     * Keeps the time for another storage, which takes the place of the one in the folder. Of its hashes, nothing is
     * known to be removed.
     *
     * @param storage the number of the other storage
     * @throws StorageException if the file cannot be read
     */
    public static void handOver(StateFiles files, long storage) throws StorageException {
        files.peek(FORMAT, 0).flatMap(LastRun::parse)
                .ifPresent(run -> new LastRun(run.millis(), OptionalLong.empty()).write(files, storage));
    }

    private static boolean isWithoutChecksum(StateFiles files) {
        try {
            return Files.size(files.place(FORMAT)) <= MAX_OLD_SIZE && WITHOUT_CHECKSUM
                    .matcher(Files.readString(files.place(FORMAT), StandardCharsets.ISO_8859_1)).matches();
        } catch (IOException e) {
            // Written even if there was no time; the next reader reports the rest.
            LOG.debug("{} cannot be read", files.place(FORMAT), e);
            return false;
        }
    }

    void write(StateFiles files, long storageId) {
        String text = Math.max(0, millis) + " " + (swept.isPresent() ? swept.getAsLong() : "-")
                + doubt.map(there -> " " + there.ahead() + " " + there.lasted()).orElse("") + "\n";
        try {
            files.write(FORMAT, storageId, text.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            LOG.warn("{} cannot be written: {}", files.place(FORMAT), Reason.of(e));
        }
    }
}
