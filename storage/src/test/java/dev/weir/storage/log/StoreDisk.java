package dev.weir.storage.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;

/** The disk of a store. Updates continue while an image is written. */
public record StoreDisk(Disk disk, Runnable meanwhile) implements Disk {
    @Override
    public List<String> names() throws IOException {
        return disk.names();
    }

    @Override
    public DiskFile create(String name) throws IOException {
        DiskFile file = disk.create(name);
        return name.startsWith("image-") ? new Image(file, meanwhile) : file;
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return disk.open(name);
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
    public UUID boot() {
        return disk.boot();
    }

    @Override
    public String describe(String name) {
        return disk.describe(name);
    }

    private record Image(DiskFile file, Runnable meanwhile) implements DiskFile {
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
            meanwhile.run();
            return file.write(source, position);
        }

        @Override
        public void truncate(long size) throws IOException {
            file.truncate(size);
        }

        @Override
        public void force() throws IOException {
            meanwhile.run();
            file.force();
        }

        @Override
        public void close() throws IOException {
            file.close();
        }
    }
}
