package dev.weir.storage.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.weir.os.OwnerOnly;
import dev.weir.storage.StorageException;

/**
 * Makes a log that can be opened again out of a damaged one: everything that can be read and that the database does not
 * have yet is written to a new log, renumbered behind the database's revision. The damaged files are kept beside it.
 *
 * <p>The new log is complete and on disk before it takes the place of the old one, which takes two renames: one that
 * was cut off between them is finished by {@link #finish}.
 */
public final class LogRepair {
    /** Ending of the folder in which the new log is made. */
    private static final String NEW = ".repair";

    private final Path folder;
    private final Disk damaged;
    private final long storageId;
    private final long applied;

    /**
     * A repair, which does nothing yet. No other process may use the folder meanwhile.
     *
     * @param folder of the log
     * @param storageId of the storage that it must belong to
     * @param applied revision up to which the database has everything
     */
    public LogRepair(Path folder, long storageId, long applied) {
        this(folder, FolderDisk.readOnly(folder), storageId, applied);
    }

    /** The same with another way to read the folder. */
    LogRepair(Path folder, Disk damaged, long storageId, long applied) {
        this.folder = folder;
        this.damaged = damaged;
        this.storageId = storageId;
        this.applied = applied;
    }

    /**
     * What is wrong and what would become of it.
     *
     * @param damages acknowledged updates that cannot be read and would be dropped
     * @param kept updates that the database does not have yet and that would be kept
     * @param doubtful updates at the end that were never acknowledged and would be dropped
     */
    public record Plan(List<LogDamage> damages, long kept, int doubtful) {
        /** Copies the list. */
        public Plan {
            damages = List.copyOf(damages);
        }

        /** Acknowledged updates that would be dropped. */
        public long lost() {
            return damages.stream().mapToLong(LogDamage::count).sum();
        }

        /** Returns whether there is anything to repair. */
        public boolean isNeeded() {
            return !damages.isEmpty();
        }
    }

    /**
     * Looks and changes nothing.
     *
     * @throws StorageException if files cannot be read, or belong to another storage or a newer weir
     */
    public Plan plan() throws StorageException {
        long[] kept = new long[1];
        LogScan scan = scan(update -> {
            if (update.revision() > applied) {
                kept[0]++;
            }
        });
        return new Plan(scan.damages(), kept[0], scan.doubtful());
    }

    private LogScan scan(Consumer<LoggedUpdate> target) throws StorageException {
        LogScan scan = new LogScan(damaged, storageId, applied, ForcedMark.read(damaged, storageId), target);
        try {
            scan.run(UpdateLog.needed(Segment.among(damaged.names()), applied));
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + e.getMessage(), e);
        }
        return scan;
    }

    /**
     * Carries the plan out.
     *
     * @return the folder in which the damaged files are kept
     * @throws StorageException if something cannot be read or written; the log is then as it was
     */
    public Path run(LogLimits limits, InstantSource clock) throws StorageException {
        Path fresh = sibling(folder, NEW);
        Path kept = sibling(folder, ".damaged-" + clock.millis());
        try {
            deleteFolder(fresh);
            OwnerOnly.createFolders(fresh);
            try (UpdateLog log = UpdateLog.open(FolderDisk.of(fresh), limits, storageId, applied, clock, Runnable::run,
                    update -> {})) {
                copyTo(log);
            }
            FolderDisk.force(fresh);
            Files.move(folder, kept, StandardCopyOption.ATOMIC_MOVE);
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
            FolderDisk.force(parent(folder));
            return kept;
        } catch (IOException e) {
            throw new StorageException("the update log cannot be repaired: " + e.getMessage(), e);
        }
    }

    private void copyTo(UpdateLog log) throws StorageException {
        LogCopy copy = new LogCopy(log);
        scan(update -> {
            if (update.revision() > applied) {
                copy.add(update);
            }
        });
        copy.finish();
    }

    /**
     * Finishes a repair that was cut off when the damaged log had been moved away and the new one not yet into its
     * place.
     *
     * @throws StorageException if that cannot be done
     */
    public static void finish(Path folder) throws StorageException {
        Path fresh = sibling(folder, NEW);
        if (Files.exists(folder) || !Files.exists(fresh)) {
            return;
        }
        try {
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
            FolderDisk.force(parent(folder));
        } catch (IOException e) {
            throw new StorageException("a repair of the update log that was cut off cannot be finished: " + fresh
                    + " cannot be renamed to " + folder + " (" + e.getMessage() + ")", e);
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
