package dev.weir.storage.log;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;

/** The end of a log that no storage uses, without changing anything. */
public final class StoppedLog {
    private StoppedLog() {}

    /**
     * Returns the end that the next start would find.
     *
     * @param storageId the number of the storage
     * @param applied the last revision of the store beside the log
     * @return empty if the log is damaged, is missing, or begins another history with the next start
     * @throws StorageException if it cannot be read, or belongs to another storage
     */
    public static Optional<UpdateLog.Tip> end(Disk disk, long storageId, long applied) throws StorageException {
        try {
            return read(disk, storageId, applied);
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + Reason.of(e), e);
        }
    }

    private static Optional<UpdateLog.Tip> read(Disk disk, long storageId, long applied)
            throws IOException, StorageException {
        Optional<LeaderEpochFile> asked = LeaderEpochFile.read(disk);
        List<Segment> all = Segment.among(disk.names());
        if (all.isEmpty()) {
            return asked.filter(file -> file.checksum().isPresent() && file.last() == applied)
                    .map(file -> new UpdateLog.Tip(applied, file.checksum().getAsLong(), file.epoch()));
        }
        List<Segment> read = Segment.needed(all, applied);
        ChecksumInput input = new ChecksumInput();
        LogScan scan = new LogScan(disk, storageId, applied, ForcedMark.read(disk, storageId), input::add);
        scan.run(read);
        long last = Math.max(scan.reached(), applied);
        Optional<Segment.Header> first = header(disk, read.getFirst(), storageId);
        Optional<Segment.Header> newest = header(disk, all.getLast(), storageId);
        Optional<LeaderEpochFile> counts = asked.filter(file -> file.checksum().isEmpty() || file.last() == last);
        if (scan.damages().isEmpty() && counts.isPresent() && counts.get().checksum().isPresent()) {
            // A copy of a leader whose first start has not begun a segment yet.
            return Optional.of(new UpdateLog.Tip(last, counts.get().checksum().getAsLong(), counts.get().epoch()));
        }
        boolean broken = counts.isPresent();
        if (!scan.damages().isEmpty() || first.isEmpty() || newest.isEmpty() || broken) {
            return Optional.empty();
        }
        OptionalLong sum = input.checksum(first.get().checksum(), read.getFirst().first(), last);
        return sum.isPresent()
                ? Optional.of(new UpdateLog.Tip(last, sum.getAsLong(), newest.get().epoch()))
                : Optional.empty();
    }

    private static Optional<Segment.Header> header(Disk disk, Segment segment, long storageId)
            throws IOException, StorageException {
        try (DiskFile file = disk.open(segment.name())) {
            return segment.readHeader(disk, file, storageId);
        }
    }

    /** Returns the epoch of the newest segment that can be read; {@link LeaderEpoch#NONE} without one. */
    public static LeaderEpoch epoch(Disk disk, long storageId) throws StorageException {
        try {
            for (Segment segment : Segment.among(disk.names()).reversed()) {
                Optional<Segment.Header> header = header(disk, segment, storageId);
                if (header.isPresent()) {
                    return header.get().epoch();
                }
            }
            return LeaderEpochFile.read(disk).map(LeaderEpochFile::epoch).orElse(LeaderEpoch.NONE);
        } catch (NoSuchFileException e) {
            // There is no folder: the store was made from a database, and its first start did not get this far. A log
            // that is lost is found out when it is opened.
            return LeaderEpoch.NONE;
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + Reason.of(e), e);
        }
    }
}
