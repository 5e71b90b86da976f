package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/**
 * A disk as another process reads it: in small steps, while the first process continues. The reader's calls never fail,
 * so any failure is a real one.
 */
record OutsideDisk(SimulatedDisk disk, Faults faults, Runnable meanwhile) implements Disk {
    /** The number of bytes in one call; the bytes around them may be older or newer. */
    private static final int MOST = 600;

    @FunctionalInterface
    private interface Call<T> {
        T run() throws IOException;
    }

    private <T> T undisturbed(Call<T> call) throws IOException {
        meanwhile.run();
        double rate = faults.rate();
        faults.rate(0);
        try {
            return call.run();
        } finally {
            faults.rate(rate);
        }
    }

    @Override
    public List<String> names() throws IOException {
        return undisturbed(disk::names);
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return new OutsideFile(this, undisturbed(() -> disk.open(name)));
    }

    private record OutsideFile(OutsideDisk outside, DiskFile file) implements DiskFile {
        @Override
        public long size() throws IOException {
            return outside.undisturbed(file::size);
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            ByteBuffer part = target.duplicate().limit(target.position() + Math.min(target.remaining(), MOST));
            int count = outside.undisturbed(() -> file.read(part, position));
            target.position(part.position());
            return count;
        }

        @Override
        public void close() throws IOException {
            outside.undisturbed(() -> {
                file.close();
                return true;
            });
        }

        @Override
        public int write(ByteBuffer source, long position) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void truncate(long size) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force() {
            throw new UnsupportedOperationException();
        }
    }

    @Override
    public UUID boot() {
        return disk.boot();
    }

    @Override
    public String describe(String name) {
        return disk.describe(name);
    }

    @Override
    public DiskFile create(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void rename(String from, String to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void delete(String name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void force() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Closeable share() {
        return disk.share();
    }

    @Override
    public boolean alone(Action action) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long usable() {
        throw new UnsupportedOperationException();
    }
}
