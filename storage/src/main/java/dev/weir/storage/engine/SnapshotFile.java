package dev.weir.storage.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

import dev.weir.os.DiskSpace;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Snapshot;

/** A snapshot in a file. */
record SnapshotFile(Path file) implements SnapshotStore {
    @Override
    public String name() {
        return file.toString();
    }

    @Override
    public Optional<Snapshot.Origin> origin() throws IOException {
        return Snapshot.origin(file);
    }

    @Override
    public Optional<HashIndex> read(Snapshot.Origin origin, Snapshot.Progress progress) throws IOException {
        return Snapshot.read(file, origin, progress);
    }

    @Override
    public void write(Snapshot.Origin origin, HashIndex index) throws IOException {
        Snapshot.write(file, origin, index);
    }

    @Override
    public void delete() throws IOException {
        Files.deleteIfExists(file);
    }

    @Override
    public long usableBytes() throws IOException {
        return DiskSpace.usable(Objects.requireNonNull(file.toAbsolutePath().getParent()));
    }
}
