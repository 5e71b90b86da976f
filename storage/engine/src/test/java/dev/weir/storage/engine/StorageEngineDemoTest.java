package dev.weir.storage.engine;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.Samples;
import dev.weir.storage.index.Lookup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The manual of {@link StorageEngine} for programs that embed it. Each test shows one task. */
class StorageEngineDemoTest {
    private static final int FLAG = 11;

    @TempDir
    Path folder = Path.of("");

    private final Digest digest = Samples.digest(1);
    private final Signature signature = Samples.signature(1);
    private final long now = Instant.now().getEpochSecond();

    /** The whole of it in five lines: open a folder, store a hash durably, look it up. */
    @Test
    void storeAndLookUp() throws Exception {
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder))) {
            engine.apply(new Update.Write(digest, FLAG, 10, now, signature)).join();
            List<FlagValue> flags = engine.find(digest);
            assertThat(flags).containsExactly(new FlagValue(FLAG, 10, now));
        }
    }

    /** Votes add up; the hash disappears with its last flag. */
    @Test
    void votesAndDeletes() throws Exception {
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder))) {
            engine.apply(new Update.Write(digest, FLAG, 10, now, signature)).join();
            engine.apply(new Update.Write(digest, FLAG, 5, now, null)).join();
            assertThat(engine.find(digest).getFirst().value()).isEqualTo(15);
            engine.apply(new Update.Delete(digest, FLAG)).join();
            assertThat(engine.find(digest)).isEmpty();
        }
    }

    /** A message that was changed a little has another digest and most of the shingles. */
    @Test
    void findNearDuplicates() throws Exception {
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder))) {
            engine.apply(new Update.Write(digest, FLAG, 10, now, signature)).join();
            // One object for each thread: lookups then allocate nothing.
            Lookup lookup = new Lookup();
            Samples.digest(2).copyTo(lookup.digest(), 0);
            long[] changed = Samples.changed(Samples.shingles(1), 8, new SplittableRandom(1));
            System.arraycopy(changed, 0, lookup.shingles(), 0, changed.length);
            lookup.hasShingles(true);
            assertThat(engine.hashes().find(lookup, engine.hashes().now())).isTrue();
            assertThat(lookup.match().equalSlots()).isEqualTo(24);
            assertThat(lookup.match().value(0)).isEqualTo(10);
        }
    }

    /** What was applied is there after a restart, and lookups work before the engine takes updates. */
    @Test
    void restart() throws Exception {
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder))) {
            engine.apply(new Update.Write(digest, FLAG, 10, now, signature)).join();
        }
        try (StorageEngine engine = StorageEngine.open(EngineConfig.DEFAULT, EngineFolder.open(folder),
                StartProgress.NONE)) {
            assertThat(engine.find(digest).getFirst().value()).isEqualTo(10);
        }
    }
}
