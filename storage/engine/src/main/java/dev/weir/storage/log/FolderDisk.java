package dev.weir.storage.log;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import dev.weir.os.DirectWriter;
import dev.weir.os.DiskSpace;
import dev.weir.os.FolderSync;
import dev.weir.os.OwnerOnly;
import dev.weir.os.Platform;
import org.jspecify.annotations.Nullable;

/** A folder of the file system. */
public final class FolderDisk implements Disk {
    private final Path folder;
    private final boolean readOnly;

    private FolderDisk(Path folder, boolean readOnly) {
        this.folder = folder;
        this.readOnly = readOnly;
    }

    /** Returns the disk of an existing folder. */
    public static FolderDisk of(Path folder) {
        return new FolderDisk(folder, false);
    }

    /** Returns the disk of an existing folder without writing to it, for reading the log of a running storage. */
    public static FolderDisk readOnly(Path folder) {
        return new FolderDisk(folder, true);
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).toList();
        }
    }

    @Override
    public DiskFile create(String name) throws IOException {
        return file(name, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    }

    @Override
    public DiskFile open(String name) throws IOException {
        return readOnly
                ? file(name, StandardOpenOption.READ)
                : file(name, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private DiskFile file(String name, StandardOpenOption... options) throws IOException {
        Path path = folder.resolve(name);
        return new ChannelFile(path, OwnerOnly.open(path, options));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void force() throws IOException {
        FolderSync.force(folder);
    }

    /**
     * Replaces a file atomically and durably: a reader sees either the old or the new content, also after a power
     * failure. Only the owner may read the file.
     *
     * @throws IOException if the file cannot be written; the old file then still exists
     */
    public static void replace(Path file, byte[] content) throws IOException {
        replace(file, content, _ -> {});
    }

    /** What is done to a new file before it takes the place of the old one. */
    @FunctionalInterface
    private interface Preparation {
        void prepare(Path fresh) throws IOException;
    }

    /**
     * Replaces a file of the operator like {@link #replace(Path, byte[])}, but the new file has the mode of the old
     * one, and its owner and group if this user may set them.
     *
     * @throws IOException if the file is missing or cannot be written; the old file then still exists
     */
    public static void replaceKept(Path file, byte[] content) throws IOException {
        PosixFileAttributes old = Files.readAttributes(file, PosixFileAttributes.class);
        replace(file, content, fresh -> {
            PosixFileAttributeView view = Files.getFileAttributeView(fresh, PosixFileAttributeView.class);
            Set<PosixFilePermission> mode = EnumSet.copyOf(old.permissions());
            mode.addAll(EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE));
            PosixFileAttributes own = view.readAttributes();
            if (!own.group().equals(old.group()) && !allowed(() -> view.setGroup(old.group()))) {
                // Another group must not read what the first one could.
                mode.removeIf(permission -> permission.name().startsWith("GROUP_"));
            }
            if (!own.owner().equals(old.owner())) {
                var _ = allowed(() -> view.setOwner(old.owner()));
            }
            view.setPermissions(mode);
        });
    }

    /** Something that only some users may do. */
    @FunctionalInterface
    private interface Privilege {
        void use() throws IOException;
    }

    private static boolean allowed(Privilege privilege) {
        try {
            privilege.use();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static void replace(Path file, byte[] content, Preparation preparation) throws IOException {
        Path fresh = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(fresh);
        try (FileChannel channel = OwnerOnly.open(fresh, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            preparation.prepare(fresh);
            channel.force(true);
        } catch (Throwable e) {
            Files.deleteIfExists(fresh);
            throw e;
        }
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null) {
            FolderSync.force(folder);
        }
    }

    @Override
    public Closeable share() throws IOException {
        return ReadersLock.share(folder);
    }

    @Override
    public boolean alone(Action action) throws IOException {
        return ReadersLock.alone(folder, action);
    }

    @Override
    public long usable() throws IOException {
        return DiskSpace.usable(folder);
    }

    @Override
    public UUID boot() {
        return Platform.boot();
    }

    @Override
    public String describe(String name) {
        return folder.resolve(name).toString();
    }

    private static final class ChannelFile implements DiskFile {
        private final Path path;
        private final FileChannel channel;
        private @Nullable DirectWriter direct;
        private boolean directTried;

        ChannelFile(Path path, FileChannel channel) {
            this.path = path;
            this.channel = channel;
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(ByteBuffer target, long position) throws IOException {
            return channel.read(target, position);
        }

        @Override
        public int write(ByteBuffer source, long position) throws IOException {
            return channel.write(source, position);
        }

        @Override
        public void writeForced(ByteBuffer source, long position) throws IOException {
            if (!directTried) {
                directTried = true;
                direct = DirectWriter.open(path, position);
            }
            if (direct == null) {
                DiskFile.super.writeForced(source, position);
            } else {
                direct.write(source, position);
            }
        }

        @Override
        public void truncate(long size) throws IOException {
            channel.truncate(size);
        }

        /** Syncs the data only, because the length of a segment never changes while it is written. */
        @Override
        public void force() throws IOException {
            channel.force(false);
        }

        @Override
        public void close() throws IOException {
            try {
                channel.close();
            } finally {
                if (direct != null) {
                    direct.close();
                }
            }
        }
    }
}
