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
import java.util.stream.Stream;

import dev.weir.storage.StorageException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a storage, read from outside while the storage may be running: for the audit trail and for copies.
 *
 * <p>It ends with what was on disk when it was opened, and holds open what there was then: it sees neither what is
 * being written meanwhile nor what was written and refused, and a segment that is deleted is still read. With
 * {@code --ack queued} it lacks what was acknowledged and not yet forced, at most a second's updates.
 */
public final class LogHistory implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LogHistory.class);

    /** The segments of a storage that writes at full speed may be deleted before they are opened, then listed again. */
    private static final int TRIES = 100;

    private final OpenedDisk disk;
    private final List<Segment> segments;
    private final long storageId;
    private final ForcedMark.Forced forced;
    private final long until;

    /** What the disk fails to read where the log ends. */
    private List<LogDamage> unreadEnd = List.of();

    private LogHistory(OpenedDisk disk, List<Segment> segments, long storageId, ForcedMark.Forced forced)
            throws IOException, StorageException {
        this.disk = disk;
        this.segments = segments;
        this.storageId = storageId;
        this.forced = forced;
        this.until = isLive() ? forced.revision() : found();
    }

    /** Returns whether more may be written while this is read. */
    boolean isLive() {
        return forced.state() == ForcedMark.State.LIVE;
    }

    /**
     * Returns the last revision in a log that is not being written to. It may be by the time that it is read.
     *
     * @return whether it counts is up to the reader
     */
    private long found() throws IOException, StorageException {
        if (segments.isEmpty()) {
            return 0;
        }
        Segment last = segments.getLast();
        LogScan scan = new LogScan(disk, storageId, last.first() - 1, forced, update -> {});
        scan.run(List.of(last));
        unreadEnd = scan.damages().stream().filter(LogDamage::open).toList();
        return Math.max(scan.greatest(), last.first() - 1);
    }

    /**
     * Opens all segments; a folder that is not there has none.
     *
     * @param storageId of the storage that they must belong to
     */
    public static LogHistory open(Path folder, long storageId) throws StorageException {
        return open(FolderDisk.readOnly(folder), Files.isDirectory(folder), storageId);
    }

    /** Returns the same for any disk, which may not be there. */
    static LogHistory open(Disk files, boolean exists, long storageId) throws StorageException {
        try {
            for (int i = 0; i < TRIES; i++) {
                LogHistory history = exists ? tryOpen(files, storageId) : absent(files, storageId);
                if (history != null) {
                    return history;
                }
            }
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + e.getMessage(), e);
        }
        throw new StorageException("the update log cannot be read: the storage deleted its segments " + TRIES
                + " times before they could be opened");
    }

    private static LogHistory absent(Disk files, long storageId) throws IOException, StorageException {
        return new LogHistory(new OpenedDisk(files), List.of(), storageId, ForcedMark.Forced.UNKNOWN);
    }

    /** Returns null if the storage deleted segments in between, so that updates up to the mark are missing. */
    private static @Nullable LogHistory tryOpen(Disk files, long storageId) throws IOException, StorageException {
        OpenedDisk disk = new OpenedDisk(files);
        try {
            // Read the mark first: the segments up to it have their final names by then.
            ForcedMark.Forced forced = ForcedMark.read(files, storageId);
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
            return new LogHistory(disk, opened, storageId, forced);
        } catch (Throwable e) {
            disk.close();
            throw e;
        }
    }

    /** Returns the revision from which on the log has everything; {@link Long#MAX_VALUE} without any segment. */
    public long first() {
        return segments.isEmpty() ? Long.MAX_VALUE : segments.getFirst().first();
    }

    /**
     * Gives the updates behind a revision, in order.
     *
     * @param after the revision that the reader has already; -1 for everything that is still there
     * @return what is missing in between although it was acknowledged
     */
    public List<LogDamage> read(long after, Consumer<LoggedUpdate> target) throws StorageException {
        if (segments.isEmpty()) {
            return List.of();
        }
        long from = after < 0 ? segments.getFirst().first() - 1 : after;
        LogScan scan = new LogScan(disk, storageId, from, forced, update -> {
            if (update.revision() > from) {
                target.accept(update);
            }
        });
        try {
            scan.run(UpdateLog.needed(segments, from), until);
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + e.getMessage(), e);
        }
        return Stream.concat(scan.damages().stream(), unreadEnd.stream()).toList();
    }

    /**
     * Copies the updates behind a revision to another log.
     *
     * @param target a log that ends with this revision
     * @throws LogDamagedException if some are missing in between although they were acknowledged
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

    /** Files that stay open however often they are opened and closed. */
    private static final class OpenedDisk implements ReadableDisk {
        private final Disk files;
        private final Map<String, ReadableFile> held = new HashMap<>();

        OpenedDisk(Disk files) {
            this.files = files;
        }

        /** False when it was deleted before it could be opened. */
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
            // The one that opened it closes it.
        }
    }
}
