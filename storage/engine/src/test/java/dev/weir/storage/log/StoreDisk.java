package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/** The disk of a store. Updates continue while an image is written, and each write of slots is reported. */
public record StoreDisk(Disk disk, Runnable meanwhile, SlotWatch watch) implements Disk {
    /** A receiver of writes of slots. */
    @FunctionalInterface
    public interface SlotWatch {
        /** Called before some bytes of a file of slots are written. */
        void writes(String name, long position, int bytes);
    }

    /** A disk whose writes of slots nobody watches. */
    public StoreDisk(Disk disk, Runnable meanwhile) {
        this(disk, meanwhile, (_, _, _) -> {});
    }

    @Override
    public List<String> names() throws IOException {
        return disk.names();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        return watched(name, disk.create(name));
    }

    private DiskFile watched(String name, DiskFile file) {
        if (name.startsWith("image-")) {
            return new Watched(file, (_, _) -> meanwhile.run(), meanwhile);
        }
        return name.endsWith(".slots")
                ? new Watched(file, (position, bytes) -> watch.writes(name, position, bytes), () -> {})
                : file;
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return watched(name, disk.open(name));
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
    public Closeable share() throws IOException {
        return disk.share();
    }

    @Override
    public boolean alone(Action action) throws IOException {
        return disk.alone(action);
    }

    @Override
    public long usable() throws IOException {
        return disk.usable();
    }

    @Override
    public UUID boot() {
        return disk.boot();
    }

    @Override
    public String describe(String name) {
        return disk.describe(name);
    }

    /** Runs before a write. */
    @FunctionalInterface
    private interface BeforeWrite {
        void run(long position, int bytes);
    }

    private record Watched(DiskFile file, BeforeWrite beforeWrite, Runnable beforeForce) implements DiskFile {
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
            beforeWrite.run(position, source.remaining());
            return file.write(source, position);
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public void force() throws IOException {
            beforeForce.run();
            file.force();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
