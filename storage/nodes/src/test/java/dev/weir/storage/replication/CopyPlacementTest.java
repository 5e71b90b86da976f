package dev.weir.storage.replication;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.Samples;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.FolderDisk;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A complete copy replaces exactly the storage, at the place of its history, that its note names. */
class CopyPlacementTest {
    private static final InstantSource CLOCK = InstantSource.system();

    @TempDir
    private Path folder = Path.of("");
    private Stopped own;
    private Stopped copy;

    /** A storage that was stopped. */
    private record Stopped(long storage, UpdateLog.Tip end) {
        static Stopped make(Path place, int hashes) throws Exception {
            try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(place))) {
                for (int i = 0; i < hashes; i++) {
                    engine.apply(new Update.Write(Samples.digest(i), 1, 1, CLOCK.millis() / 1_000, null)).join();
                }
                return new Stopped(engine.storageId(), engine.log().tip());
            }
        }
    }

    @BeforeEach
    void make() throws Exception {
        own = Stopped.make(folder, 3);
        copy = Stopped.make(folder.resolve(DataFolder.FRESH), 5);
    }

    private CopyNote note() {
        return new CopyNote(own.storage(), own.end(), copy.storage(), copy.end(), 1, Follower.Ground.PROVEN, 0,
                CLOCK.millis());
    }

    private String refusal(CopyNote note) throws Exception {
        note.write(new StateFiles(folder.resolve(DataFolder.FRESH), CLOCK));
        List<CopyNote> placed = new ArrayList<>();
        CopyPlacement.Outcome outcome = CopyPlacement.run(folder, CLOCK, placed::add);
        boolean refused = outcome instanceof CopyPlacement.Outcome.SetAside;
        assertThat(placed).isEqualTo(refused ? List.of() : List.of(note));
        long now = storage();
        assertThat(now).isEqualTo(refused ? own.storage() : copy.storage());
        return refused ? ((CopyPlacement.Outcome.SetAside) outcome).trouble().detail() : "";
    }

    private long storage() throws Exception {
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder))) {
            return engine.storageId();
        }
    }

    @Test
    void replacesWhatItWasMadeFor() throws Exception {
        assertThat(refusal(note())).isEmpty();
    }

    @Test
    void replacesNoOtherStorage() throws Exception {
        own = new Stopped(own.storage() + 1, own.end());
        CopyNote note = note();
        own = new Stopped(own.storage() - 1, own.end());
        assertThat(refusal(note)).contains("has another storage");
    }

    @Test
    void replacesNoStorageThatWentOn() throws Exception {
        CopyNote note = note();
        try (StorageEngine engine = StorageEngine.start(EngineConfig.DEFAULT, EngineFolder.open(folder))) {
            engine.apply(new Update.Write(Samples.digest(9), 1, 1, CLOCK.millis() / 1_000, null)).join();
        }
        assertThat(refusal(note)).contains("now ends with update 4", "ended with update 3");
    }

    /** As after a repair: as many updates, but another history. */
    @Test
    void replacesNoOtherHistoryOfTheSameLength() throws Exception {
        CopyNote note = note();
        UpdateLog.breakHistory(FolderDisk.of(folder.resolve(DataFolder.UPDATES)));
        storage();
        assertThat(refusal(note)).contains("now ends with update 3", "ended with update 3");
    }

    @Test
    void isTheCopyThatItsNoteDescribes() throws Exception {
        assertThat(refusal(new CopyNote(own.storage(), own.end(), copy.storage(),
                new UpdateLog.Tip(copy.end().revision() + 1, copy.end().checksum(), copy.end().epoch()), 1,
                Follower.Ground.PROVEN, 0, CLOCK.millis()))).contains("not the one that its note describes");
    }
}
