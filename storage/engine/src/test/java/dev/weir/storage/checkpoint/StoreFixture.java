package dev.weir.storage.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Update;
import dev.weir.storage.Model;
import dev.weir.storage.Samples;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.IndexMatch;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.StoreDisk;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** A store in a folder, a model of its expected content, and a list of updates in place of the log. */
final class StoreFixture implements AutoCloseable {
    static final long ID = 0x1234_5678_9abc_def0L;

    private final Path folder;
    private final CheckpointSettings settings;
    private final List<Update> log = new ArrayList<>();
    private final Model model = new Model();
    private Checkpoints store;
    private Runnable besideImage = () -> {};

    StoreFixture(Path folder, CheckpointSettings settings) throws StorageException {
        this.folder = folder;
        this.settings = settings;
        this.store = open();
    }

    /** Small pages and buffers, so that a few hashes need many. */
    static CheckpointSettings small() {
        return new CheckpointSettings(400, 24, 4, 1 << 20, Duration.ofHours(1));
    }

    private Checkpoints open() throws StorageException {
        return Checkpoints.open(new StoreDisk(FolderDisk.of(folder), () -> besideImage.run()), settings, () -> ID,
                () -> new KeyedHash(1, 2), (_, _) -> {});
    }

    Checkpoints store() {
        return store;
    }

    HashIndex index() {
        return store.index();
    }

    Model model() {
        return model;
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /** Returns the image of the last checkpoint. */
    Path image() throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(file -> Manifest.isImage(file.getFileName().toString())).findFirst().orElseThrow();
        }
    }

    void apply(Update update) {
        log.add(update);
        model.apply(update);
        index().apply(update);
    }

    /** Sets an action that runs before each write to an image. */
    void besideImage(Runnable action) {
        besideImage = action;
    }

    /** Writes a checkpoint. The action runs before each write to the image. */
    void checkpoint(Runnable action) throws IOException {
        besideImage = action;
        try {
            store.begin();
        } finally {
            besideImage = () -> {};
        }
        if (!store.complete(log.size())) {
            throw new AssertionError("the checkpoint does not count");
        }
    }

    void checkpoint() throws IOException {
        checkpoint(() -> {});
    }

    /** Ends the process without a checkpoint and starts another one. */
    void restart() throws StorageException {
        store.close();
        store = open();
        for (Update update : log.subList((int) store.revision(), log.size())) {
            index().apply(update);
        }
        store.recovered();
    }

    Optional<Model.Answer> find(long n, long @Nullable [] shingles) {
        Lookup lookup = new Lookup();
        Samples.digest(n).copyTo(lookup.digest(), 0);
        lookup.hasShingles(shingles != null);
        if (shingles != null) {
            System.arraycopy(shingles, 0, lookup.shingles(), 0, shingles.length);
        }
        if (!index().find(lookup, 0)) {
            return Optional.empty();
        }
        IndexMatch match = lookup.match();
        List<FlagValue> flags = new ArrayList<>();
        for (int i = 0; i < match.flagCount(); i++) {
            flags.add(new FlagValue(match.flag(i), match.value(i), match.time(i)));
        }
        byte[] digest = new byte[Digest.BYTES];
        match.copyDigest(digest);
        return Optional.of(new Model.Answer(Digest.of(digest), match.equalSlots(), flags));
    }

    /** Compares all exact answers and side hashes for the digests below {@code n}, and the number of hashes. */
    void check(int n) {
        assertThat(index().size()).isEqualTo(model.size());
        Lookup lookup = new Lookup();
        for (int i = 0; i < n; i++) {
            assertThat(find(i, null)).isEqualTo(model.find(Samples.digest(i), null, 0));
            HashIndex.KnownHash known = index().known(Samples.digest(i), lookup);
            assertThat(known == null ? null : known.sides()).isEqualTo(model.sides(Samples.digest(i)));
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
