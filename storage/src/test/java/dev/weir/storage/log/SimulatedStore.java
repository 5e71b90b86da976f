package dev.weir.storage.log;

import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.storage.backend.Backend;
import dev.weir.storage.backend.BackendStore;
import dev.weir.storage.backend.BackendView;
import dev.weir.storage.backend.Fingerprint;
import dev.weir.storage.backend.IntegrityCheck;
import dev.weir.storage.engine.EngineStore;
import dev.weir.storage.engine.SnapshotStore;
import dev.weir.storage.engine.StorePlace;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Snapshot;
import org.jspecify.annotations.Nullable;

/** The state that outlives each run of a simulated storage: backend, disk, index of the last stop, and last time. */
final class SimulatedStore implements EngineStore, BackendStore, SnapshotStore {
    private final SimulatedBackend backend;
    private final SimulatedDisk disk;
    private final Faults faults;
    private @Nullable Kept kept;
    private Optional<StorePlace> place = Optional.empty();
    private OptionalLong lastTime = OptionalLong.empty();

    private record Kept(Snapshot.Origin origin, HashIndex index) {}

    SimulatedStore(SimulatedBackend backend, SimulatedDisk disk, Faults faults) {
        this.backend = backend;
        this.disk = disk;
        this.faults = faults;
    }

    /** Moves the hashes to a store from now on. */
    void keepIn(StorePlace store) {
        place = Optional.of(store);
    }

    @Override
    public Optional<StorePlace> openStore() {
        return place;
    }

    @Override
    public BackendStore backend() {
        return this;
    }

    @Override
    public Disk openLog() {
        return disk;
    }

    @Override
    public SnapshotStore snapshot() {
        return this;
    }

    @Override
    public OptionalLong lastTime() {
        return lastTime;
    }

    @Override
    public void saveLastTime(long millis) {
        lastTime = OptionalLong.of(millis);
    }

    @Override
    public String name() {
        return "the simulated store";
    }

    // ---- the backend ----

    @Override
    public boolean exists() {
        return true;
    }

    @Override
    public Backend open() {
        return backend;
    }

    @Override
    public Backend reopen() {
        return backend;
    }

    @Override
    public Optional<Fingerprint> fingerprint() {
        return Optional.of(new Fingerprint(backend.revision(), 0));
    }

    @Override
    public IntegrityCheck integrityCheck() {
        return IntegrityCheck.NONE;
    }

    @Override
    public BackendView view() {
        throw new UnsupportedOperationException();
    }

    // ---- the index of the last stop ----

    @Override
    public Optional<Snapshot.Origin> origin() {
        return Optional.ofNullable(kept).map(Kept::origin);
    }

    /** The index itself and no copy: it is there for one start only. */
    @Override
    public Optional<HashIndex> read(Snapshot.Origin origin, Snapshot.Progress progress) {
        Optional<HashIndex> index = Optional.ofNullable(kept).filter(last -> last.origin().equals(origin))
                .map(Kept::index);
        kept = null;
        return index;
    }

    @Override
    public void write(Snapshot.Origin origin, HashIndex index) {
        faults.note(Fault.KEPT_INDEX);
        kept = new Kept(origin, index);
    }

    @Override
    public void delete() {
        kept = null;
    }

    @Override
    public long usableBytes() {
        return Long.MAX_VALUE;
    }

    @Override
    public void close() {
        // It outlives the process.
    }
}
