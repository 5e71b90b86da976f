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

import dev.weir.storage.StorageException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a storage, read from outside while the storage may be running: for the audit trail and for copies.
 *
 * <p>It holds open what there is when it is made, so that a segment that is deleted meanwhile is still read.
 */
public final class LogHistory implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(LogHistory.class);

    private final OpenedDisk disk;
    private final List<Segment> segments;
    private final long storageId;

    private LogHistory(OpenedDisk disk, List<Segment> segments, long storageId) {
        this.disk = disk;
        this.segments = segments;
        this.storageId = storageId;
    }

    /**
     * Opens all segments; a folder that is not there has none.
     *
     * @param storageId of the storage that they must belong to
     */
    public static LogHistory open(Path folder, long storageId) throws StorageException {
        FolderDisk files = FolderDisk.readOnly(folder);
        OpenedDisk disk = new OpenedDisk(files);
        List<Segment> opened = new ArrayList<>();
        try {
            if (Files.isDirectory(folder)) {
                for (Segment segment : Segment.among(files.names())) {
                    if (disk.hold(segment.name())) {
                        opened.add(segment);
                    }
                }
            }
            return new LogHistory(disk, opened, storageId);
        } catch (IOException e) {
            disk.close();
            throw new StorageException("the update log cannot be read: " + e.getMessage(), e);
        }
    }

    /**
     * Gives the updates behind a revision, in order.
     *
     * @param after the revision that somebody has already; -1 for everything that is still there
     * @return what is missing in between although it was acknowledged
     */
    public List<LogDamage> read(long after, Consumer<LoggedUpdate> target) throws StorageException {
        if (segments.isEmpty()) {
            return List.of();
        }
        long from = after < 0 ? segments.getFirst().first() - 1 : after;
        LogScan scan = new LogScan(disk, storageId, from, update -> {
            if (update.revision() > from) {
                target.accept(update);
            }
        });
        try {
            scan.run(UpdateLog.needed(segments, from));
        } catch (IOException e) {
            throw new StorageException("the update log cannot be read: " + e.getMessage(), e);
        }
        return List.copyOf(scan.damages());
    }

    @Override
    public void close() {
        disk.close();
    }

    /** Files that stay open however often they are opened and closed. */
    private static final class OpenedDisk implements Disk {
        private final FolderDisk files;
        private final Map<String, DiskFile> held = new HashMap<>();

        OpenedDisk(FolderDisk files) {
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
        public DiskFile open(String name) throws IOException {
            DiskFile file = held.get(name);
            if (file == null) {
                throw new NoSuchFileException(name);
            }
            return new Shared(file);
        }

        @Override
        public String describe(String name) {
            return files.describe(name);
        }

        @Override
        public List<String> names() {
            return List.copyOf(held.keySet());
        }

        @Override
        public DiskFile create(String name) throws IOException {
            throw readOnly();
        }

        @Override
        public void rename(String from, String to) throws IOException {
            throw readOnly();
        }

        @Override
        public void delete(String name) throws IOException {
            throw readOnly();
        }

        @Override
        public void force() throws IOException {
            throw readOnly();
        }

        @Override
        public long usable() {
            return 0;
        }

        private static IOException readOnly() {
            return new IOException("this is only for reading");
        }

        void close() {
            for (DiskFile file : held.values()) {
                try {
                    file.close();
                } catch (IOException e) {
                    LOG.debug("closing a segment that was only read failed", e);
                }
            }
        }
    }

    private record Shared(DiskFile file) implements DiskFile {
        @Override
        public long size() throws IOException {
            return file.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return file.read(target, position);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            throw OpenedDisk.readOnly();
        }

        @Override
        public void truncate(long size) throws IOException {
            throw OpenedDisk.readOnly();
        }

        @Override
        public void force() throws IOException {
            throw OpenedDisk.readOnly();
        }

        @Override
        public void close() {
            // The one that opened it closes it.
        }
    }
}
