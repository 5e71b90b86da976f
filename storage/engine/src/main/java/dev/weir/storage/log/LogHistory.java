package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import dev.weir.model.failure.Reason;
import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A view of the log of a storage for other processes, while the storage may be running. The audit trail and copies use
 * it.
 *
 * <p>The view has the updates that were on disk when it was opened. It has neither later updates nor updates that were
 * written and then refused. It keeps all segments open, so it can read a segment that the storage has deleted, and a
 * claim, so that the storage does not write over one. With {@code --ack queued}, it lacks acknowledged updates that are
 * not synced yet: at most those of one second.
 */
public final class LogHistory implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LogHistory.class);

    /** The segments of a storage that writes at full speed may be deleted before they are opened, then listed again. */
    private static final int TRIES = 100;

    private final OpenedDisk disk;
    private final List<Segment> segments;
    private final long storageId;
    private final KnownEnd known;
    private final ForcedMark.Forced forced;
    private final long until;

    /** Damage of unknown extent at the end of the log, which the disk fails to read. */
    private List<LogDamage> unreadEnd = List.of();

    private LogHistory(OpenedDisk disk, List<Segment> segments, long storageId, KnownEnd known)
            throws IOException, StorageException {
        this.disk = disk;
        this.segments = segments;
        this.storageId = storageId;
        this.known = known;
        this.forced = known.mark();
        this.until = isLive() ? forced.revision() : found();
    }

    /** Returns whether the storage may be writing to the log. */
    boolean isLive() {
        return forced.state() == ForcedMark.State.LIVE;
    }

    /**
     * Returns the last revision in a log that no storage was writing to when it was opened. A storage may start later.
     *
     * @return the greatest revision found or known to have been there; the reader decides whether it counts
     */
    private long found() throws IOException, StorageException {
        if (segments.isEmpty()) {
            return forced.revision();
        }
        Segment last = segments.getLast();
        LogScan scan = new LogScan(disk, storageId, last.first() - 1, forced, update -> {});
        scan.run(List.of(last));
        unreadEnd = scan.damages().stream().filter(LogDamage::open).toList();
        return Math.max(forced.revision(), Math.max(scan.greatest(), last.first() - 1));
    }

    /**
     * Opens all segments. A missing folder has none.
     *
     * @param storageId the number of the storage that the segments must belong to
     * @param note what is known about the end of the log from outside the folder
     */
    public static LogHistory open(Path folder, long storageId, LogEndNote note) throws StorageException {
        return open(FolderDisk.readOnly(folder), Files.isDirectory(folder), storageId, note);
    }

    /** Opens all segments on a disk, which may be missing. */
    static LogHistory open(Disk files, boolean exists, long storageId, LogEndNote note) throws StorageException {
        try {
            for (int i = 0; i < TRIES; i++) {
                KnownEnd known = KnownEnd.read(files, exists, storageId, note);
                LogHistory history = exists
                        ? tryOpen(files, storageId, known)
                        : new LogHistory(new OpenedDisk(files), List.of(), storageId, known);
                if (history != null) {
                    return history;
                }
            }
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + Reason.of(e), e);
        }
        throw new StorageException("the update log cannot be read: the storage deleted its segments " + TRIES
                + " times before they could be opened");
    }

    /** Returns null if the storage deleted listed segments before this opened them, so that updates are missing. */
    private static @Nullable LogHistory tryOpen(Disk files, long storageId, KnownEnd known)
            throws IOException, StorageException {
        OpenedDisk disk = new OpenedDisk(files);
        try {
            disk.claim();
            // The mark was read first: the segments up to it have their final names by then.
            ForcedMark.Forced forced = known.mark();
            List<Segment> listed = Segment.among(files.names());
            List<Segment> opened = new ArrayList<>();
            for (Segment segment : listed) {
                if (disk.hold(segment.name())) {
                    opened.add(segment);
                } else {
                    // The storage deletes the oldest segments first, so those before it are gone, too.
                    opened.clear();
                }
            }
            boolean overtaken = opened.isEmpty()
                    ? !listed.isEmpty()
                    : forced.state() == ForcedMark.State.LIVE && opened.getFirst().first() > forced.revision() + 1;
            if (overtaken) {
                disk.close();
                return null;
            }
            return new LogHistory(disk, opened, storageId, known);
        } catch (Throwable e) {
            disk.close();
            throw e;
        }
    }

    /** Returns the first revision of the log; {@link Long#MAX_VALUE} if it has no segments. */
    public long first() {
        return segments.isEmpty() ? Long.MAX_VALUE : segments.getFirst().first();
    }

    /**
     * Passes the updates after a revision to the target, in order.
     *
     * @param after the last revision that the reader already has; -1 for all updates
     * @return acknowledged updates that are unreadable or missing
     */
    public List<LogDamage> read(long after, Consumer<LoggedUpdate> target) throws StorageException {
        return read(after, RecordFilter.ALL, target);
    }

    /**
     * Passes some of the updates after a revision to the target, in order.
     *
     * @param after as {@link #read(long, Consumer)}
     * @param filter a hint which updates to leave out; the target may still get some that it does not match
     * @return as well
     */
    public List<LogDamage> read(long after, RecordFilter filter, Consumer<LoggedUpdate> target)
            throws StorageException {
        if (segments.isEmpty() && after < 0) {
            return List.of();
        }
        long from = after < 0 ? segments.getFirst().first() - 1 : after;
        LogScan scan = new LogScan(disk, storageId, from, forced, filter, update -> {
            if (update.revision() > from) {
                target.accept(update);
            }
        });
        scan.expect(known.note());
        try {
            scan.run(Segment.needed(segments, from), until);
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + Reason.of(e), e);
        }
        List<LogDamage> damages = new ArrayList<>(scan.damages());
        damages.addAll(unreadEnd);
        if (damages.isEmpty() && after >= 0 && (segments.isEmpty() || !isLive())) {
            known.doubt(disk, segments, scan, after).ifPresent(damages::add);
        }
        if (damages.isEmpty() && after >= 0) {
            known.replaced(disk, segments, scan, after).ifPresent(damages::add);
        }
        return List.copyOf(damages);
    }

    /**
     * Copies the updates after a revision to another log.
     *
     * @param target a log that ends with this revision
     * @throws LogDamagedException if acknowledged updates are unreadable
     */
    public void copyTo(UpdateLog target, long after) throws StorageException {
        LogCopy copy = new LogCopy(target);
        List<LogDamage> damages = read(after, copy::add);
        if (!damages.isEmpty()) {
            throw new LogDamagedException(damages);
        }
        copy.finish();
    }

    @Override
    public void close() {
        disk.close();
    }

    /** A disk whose files stay open until {@link #close}. Readers share them. */
    private static final class OpenedDisk implements ReadableDisk {
        private final Disk files;
        private final Map<String, ReadableFile> held = new HashMap<>();
        private Closeable claim = () -> {};

        OpenedDisk(Disk files) {
            this.files = files;
        }

        /** Keeps the content of the files until {@link #close}. */
        void claim() throws IOException {
            claim = files.share();
        }

        /** Opens a file. Returns false if it has been deleted. */
        boolean hold(String name) throws IOException {
            try {
                held.put(name, files.open(name));
                return true;
            } catch (NoSuchFileException e) {
                return false;
            }
        }

        @Override
        public ReadableFile open(String name) throws IOException {
            ReadableFile file = held.get(name);
            if (file == null) {
                throw new NoSuchFileException(name);
            }
            return new Shared(file);
        }

        @Override
        public String describe(String name) {
            return files.describe(name);
        }

        void close() {
            for (ReadableFile file : held.values()) {
                try {
                    file.close();
                } catch (IOException e) {
                    LOG.debug("closing a segment that was only read failed", e);
                }
            }
            try {
                claim.close();
            } catch (IOException e) {
                LOG.debug("giving up the claim failed", e);
            }
        }
    }

    private record Shared(ReadableFile file) implements ReadableFile {
        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public void close() {
            // OpenedDisk.close closes the file.
        }
    }
}
