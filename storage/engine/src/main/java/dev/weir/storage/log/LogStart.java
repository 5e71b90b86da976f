package dev.weir.storage.log;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;

/**
 * What a start finds in the folder of a log.
 *
 * @param segments the segments, in order
 * @param end the byte of the last segment at which its updates end
 * @param certain the last update that the segments are certain to have on disk
 * @param durable the last revision
 * @param repeated the updates up to {@code durable} that the next segment repeats; usually empty
 * @param history the history before the next segment
 * @param known what is known about the end from outside the segments
 */
record LogStart(List<Segment> segments, long end, long certain, long durable, List<LoggedUpdate> repeated,
        History history, KnownEnd known) {
    /**
     * The history of a log up to some revision.
     *
     * @param epoch the epoch in force
     * @param checksum the running checksum
     * @param asked whether there is an {@link LeaderEpochFile}, which has been obeyed unless it no longer counts
     */
    record History(LeaderEpoch epoch, long checksum, boolean asked) {}

    /**
     * Reads the folder.
     *
     * @param kept where the segments are registered
     * @param repeats as in {@link LogLimits}
     * @param note what is known about the end of the log from outside the folder
     * @param replay as in {@link UpdateLog#open}
     * @throws LogDamagedException if durable updates are unreadable or missing
     * @throws StorageException if a segment belongs to another storage or has a newer format
     */
    static LogStart read(Disk disk, long storageId, KeptSegments kept, Duration repeats, LogEndNote note,
            Consumer<LoggedUpdate> replay) throws IOException, StorageException {
        long applied = kept.applied();
        ForcedMark.keepDamaged(disk);
        KnownEnd end = KnownEnd.read(disk, true, storageId, note);
        List<Segment> all = Segment.among(disk.names());
        disk.delete(SpareSegment.NAME);
        List<Segment> read = Segment.needed(all, applied);
        RecentSegments.among(disk, storageId, all, read, repeats).read(disk, storageId, replay);
        ChecksumInput input = new ChecksumInput();
        LogScan scan = new LogScan(disk, storageId, applied, end.mark(), update -> {
            input.add(update);
            replay.accept(update);
        });
        scan.expect(end.note());
        scan.run(read);
        List<LogDamage> damages = new ArrayList<>(scan.damages());
        end.doubt(disk, all, scan, applied).or(() -> end.replaced(disk, all, scan, applied))
                .ifPresent(damages::add);
        if (!damages.isEmpty()) {
            throw new LogDamagedException(damages);
        }
        if (all.isEmpty() && applied > 0 && end.asked().isEmpty() && note.isKept()) {
            UpdateLog.LOG.warn("{} has no update log. The store has every update, but weir log and weir undo no longer "
                    + "know what was learned before", disk.describe(""));
        }
        if (scan.doubtful() > 0) {
            UpdateLog.LOG.info("{} updates at the end of the log were never on disk completely and are left out",
                    scan.doubtful());
        }
        LeaderEpoch begun = kept.read(all, storageId);
        long durable = Math.max(scan.reached(), applied);
        List<LoggedUpdate> repeated = scan.unconfirmed().stream().filter(update -> update.revision() > applied)
                .toList();
        KeptSegment from = read.isEmpty() ? null : kept.get(read.getFirst().first());
        long certain = scan.unconfirmed().isEmpty()
                ? scan.reached()
                : scan.unconfirmed().getFirst().revision() - 1;
        return new LogStart(all, scan.end(), certain, durable, repeated,
                history(end.asked(), kept, begun, from, input, durable + 1 - repeated.size()), end);
    }

    /** Continues the history of the log, or begins another one if something is missing from it. */
    private static History history(Optional<LeaderEpochFile> file, KeptSegments kept, LeaderEpoch known,
            @Nullable KeptSegment from, ChecksumInput input, long next) {
        Optional<LeaderEpochFile> asked = file.filter(there -> there.checksum().isEmpty() || there.last() == next - 1);
        if (asked.isPresent() && asked.get().checksum().isPresent()) {
            return new History(asked.get().epoch(), asked.get().checksum().getAsLong(), true);
        }
        OptionalLong sum = from == null || from.checksum.isEmpty() || asked.isPresent()
                ? OptionalLong.empty()
                : input.checksum(from.checksum.getAsLong(), from.segment.first(), next - 1);
        if (sum.isPresent()) {
            return new History(known, sum.getAsLong(), file.isPresent());
        }
        ThreadLocalRandom random = ThreadLocalRandom.current();
        LeaderEpoch epoch = new LeaderEpoch(
                Math.max(Math.max(known.number(), 1), asked.map(LeaderEpochFile::number).orElse(0)), random.nextInt(),
                next,
                true);
        kept.forgetChecksums();
        return new History(epoch, random.nextLong(), file.isPresent());
    }

    /** Returns the first revision of the next segment. */
    long next() {
        return durable + 1 - repeated.size();
    }
}
