package dev.weir.storage.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.weir.model.Digest;
import dev.weir.model.Update;
import dev.weir.model.failure.Reason;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.storage.StorageException;

/**
 * A repair of a damaged log. It copies every readable update that the database does not have to a new log, with new
 * revisions after that of the database. It keeps the damaged files.
 *
 * <p>The new log is complete and on disk before it replaces the old one. This takes two renames; {@link #finish}
 * completes a repair that was interrupted between them.
 */
public final class LogRepair {
    /** Suffix of the folder of the new log during the repair. */
    private static final String NEW = ".repair";

    /** An update without an effect. */
    private static final Update NOTHING = new Update.Refresh(Digest.ofWords(new long[Digest.WORDS], 0), 0);

    private final Path folder;
    private final Disk damaged;
    private final long storageId;
    private final long applied;
    private final boolean numbered;
    private final LogEndNote note;

    /**
     * Prepares a repair. No other process may use the folder at the same time.
     *
     * @param folder the folder of the log
     * @param storageId the number of the storage that the log must belong to
     * @param applied the last revision of the database
     */
    public LogRepair(Path folder, long storageId, long applied) {
        this(folder, FolderDisk.readOnly(folder), storageId, applied, false, LogEndNote.NONE);
    }

    /**
     * Prepares a repair that keeps the revisions, because the pages of a store name them. In place of each lost update,
     * the new log has a renewal that changes nothing.
     *
     * @param applied the revision of the last checkpoint
     * @param required the last update that no consumer must find: the new log has the updates after it, if the
     *            damaged one does
     * @param note what is known about the end of the log from outside the folder
     * @throws StorageException if the folder cannot be read
     */
    public static LogRepair ofStore(Path folder, long storageId, long applied, long required, LogEndNote note)
            throws StorageException {
        Disk damaged = FolderDisk.readOnly(folder);
        try {
            List<Segment> segments = Segment.among(damaged.names());
            boolean reachesBack = !segments.isEmpty() && segments.getFirst().first() <= required + 1;
            return new LogRepair(folder, damaged, storageId, reachesBack ? Math.min(applied, required) : applied, true,
                    note);
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + Reason.of(e), e);
        }
    }

    /** Prepares a repair that reads the damaged log from another disk. */
    LogRepair(Path folder, Disk damaged, long storageId, long applied) {
        this(folder, damaged, storageId, applied, false, LogEndNote.NONE);
    }

    private LogRepair(Path folder, Disk damaged, long storageId, long applied, boolean numbered, LogEndNote note) {
        this.folder = folder;
        this.damaged = damaged;
        this.storageId = storageId;
        this.applied = applied;
        this.numbered = numbered;
        this.note = note;
    }

    /**
     * The damage, and the effects of a repair.
     *
     * @param damages acknowledged updates that are unreadable; the repair drops them
     * @param kept the number of updates that the database does not have; the repair keeps them
     * @param doubtful the number of updates at the end that were never acknowledged; the repair drops them
     */
    public record Plan(List<LogDamage> damages, long kept, int doubtful) {
        /** Copies the list. */
        public Plan {
            damages = List.copyOf(damages);
        }

        /** Returns the number of acknowledged updates that the repair drops. */
        public long lost() {
            return damages.stream().mapToLong(LogDamage::count).sum();
        }

        /** Returns whether there is anything to repair. */
        public boolean isNeeded() {
            return !damages.isEmpty();
        }
    }

    /**
     * Returns what a repair would do, and changes nothing.
     *
     * @throws StorageException if files cannot be read, or belong to another storage or a newer weir
     */
    public Plan plan() throws StorageException {
        long[] kept = new long[1];
        Found found = scan(applied, update -> {
            if (update.revision() > applied) {
                kept[0]++;
            }
        });
        return new Plan(found.damages(), kept[0], found.scan().doubtful());
    }

    /** The damage that a scan found or that other files show. */
    private record Found(LogScan scan, List<LogDamage> damages) {
        /** Returns the last update that is lost for certain; 0 if there is none. */
        long last() {
            return damages.stream().mapToLong(LogDamage::last).max().orElse(0);
        }
    }

    private Found scan(long begin, Consumer<LoggedUpdate> target) throws StorageException {
        try {
            KnownEnd end = KnownEnd.read(damaged, true, storageId, note);
            LogScan scan = new LogScan(damaged, storageId, applied, end.mark(), target);
            scan.expect(end.note());
            List<Segment> all = Segment.among(damaged.names());
            scan.run(Segment.needed(all, begin));
            List<LogDamage> damages = new ArrayList<>(scan.damages());
            end.doubt(damaged, all, scan, applied).or(() -> end.replaced(damaged, all, scan, applied))
                    .ifPresent(damages::add);
            return new Found(scan, damages);
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + Reason.of(e), e);
        }
    }

    /**
     * Carries out the plan.
     *
     * @return the folder with the damaged files
     * @throws StorageException if a file cannot be read or written; the log is unchanged then
     */
    public Path run(LogLimits limits, InstantSource clock) throws StorageException {
        Path fresh = sibling(folder, NEW);
        Path kept = sibling(folder, ".damaged-" + clock.millis());
        try {
            deleteFolder(fresh);
            OwnerOnly.createFolders(fresh);
            LeaderEpochFile.next(lastEpoch()).write(FolderDisk.of(fresh));
            LogEnd end;
            long begin = begin(limits);
            try (UpdateLog log = UpdateLog.open(FolderDisk.of(fresh), limits, storageId, begin, clock, Runnable::run,
                    update -> {})) {
                copyTo(log, begin);
                end = LogEnd.closed(log.durable());
            }
            FolderSync.force(fresh);
            // The repaired log begins another history, and this may end between the renames.
            Optional<LogEnd> before = note.read();
            if (before.isPresent()) {
                note.write(before.get().withoutChecksum());
            }
            Files.move(folder, kept, StandardCopyOption.ATOMIC_MOVE);
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
            FolderSync.force(parent(folder));
            note.write(end);
            return kept;
        } catch (IOException e) {
            throw new StorageException("the update log cannot be repaired: " + Reason.of(e), e);
        }
    }

    /** Returns the greatest number of an epoch that a readable header has. */
    private int lastEpoch() throws IOException, StorageException {
        int last = 0;
        for (Segment segment : Segment.among(damaged.names())) {
            try (PatchedFile file = new PatchedFile(damaged.open(segment.name()), damaged.describe(segment.name()))) {
                last = Math.max(last, segment.readHeader(damaged, file, storageId)
                        .map(header -> header.epoch().number()).orElse(0));
            }
        }
        return last;
    }

    /** Returns the last update that the new log does not have: clients may still repeat some that the store has. */
    private long begin(LogLimits limits) throws IOException, StorageException {
        if (!numbered) {
            return applied;
        }
        List<Segment> all = Segment.among(damaged.names());
        List<Segment> needed = Segment.needed(all, applied);
        RecentSegments recent = RecentSegments.among(damaged, storageId, all, needed, limits.repeats());
        return recent.from() < all.size() ? Math.min(applied, all.get(recent.from()).first() - 1) : applied;
    }

    private void copyTo(UpdateLog log, long begin) throws StorageException {
        LogCopy copy = new LogCopy(log);
        long[] last = {begin};
        long[] millis = {0};
        Found found = scan(begin, update -> {
            if (update.revision() > begin) {
                while (numbered && ++last[0] < update.revision()) {
                    copy.add(new LoggedUpdate(last[0], update.millis(), UpdateOrigin.STORAGE, NOTHING));
                }
                copy.add(update);
                millis[0] = update.millis();
            }
        });
        while (numbered && ++last[0] <= found.last()) {
            copy.add(new LoggedUpdate(last[0], millis[0], UpdateOrigin.STORAGE, NOTHING));
        }
        copy.finish();
    }

    /**
     * Completes a repair that was interrupted after the first of its two renames. Otherwise does nothing.
     *
     * @throws StorageException if the new log cannot be renamed
     */
    public static void finish(Path folder) throws StorageException {
        Path fresh = sibling(folder, NEW);
        if (Files.exists(folder) || !Files.exists(fresh)) {
            return;
        }
        try {
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
            FolderSync.force(parent(folder));
        } catch (IOException e) {
            throw new StorageException("cannot complete an interrupted repair of the update log: " + fresh
                    + " cannot be renamed to " + folder + " (" + Reason.of(e) + ")", e);
        }
    }

    private static Path sibling(Path folder, String suffix) {
        return folder.resolveSibling(folder.getFileName() + suffix);
    }

    private static Path parent(Path folder) {
        Path parent = folder.toAbsolutePath().getParent();
        if (parent == null) {
            throw new IllegalArgumentException(folder + " is in no folder");
        }
        return parent;
    }

    private static void deleteFolder(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> {
                try {
                    Files.delete(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
