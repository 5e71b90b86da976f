package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** A disk whose syncs take their time. */
public final class SlowDisk implements Disk {
    private final Disk disk;
    private final Duration sync;

    public SlowDisk(Disk disk, Duration sync) {
        this.disk = disk;
        this.sync = sync;
    }

    @Override
    public List<String> names() throws IOException {
        return disk.names();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        return disk.create(name);
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return new SlowFile(disk.open(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        disk.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
        disk.delete(name);
    }

    @Override
    public void force() throws IOException {
        disk.force();
    }

    @Override
    public long usable() throws IOException {
        return disk.usable();
    }

    @Override
    public String describe(String name) {
        return disk.describe(name);
    }

    private final class SlowFile implements DiskFile {
        private final DiskFile file;

        SlowFile(DiskFile file) {
            this.file = file;
        }

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
            return file.write(source, position);
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public void force() throws IOException {
            for (long end = System.nanoTime() + sync.toNanos(); end - System.nanoTime() > 0;) {
                LockSupport.parkNanos(this, end - System.nanoTime());
            }
            file.force();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
