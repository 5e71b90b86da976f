package dev.weir.storage.log;

import java.util.OptionalLong;

import dev.weir.storage.engine.EngineStore;
import dev.weir.storage.engine.StorePlace;

/** The state that outlives each run of a simulated storage: the disks of store and log, and the last time. */
final class SimulatedStore implements EngineStore {
    private final StorePlace place;
    private final SimulatedDisk disk;
    private OptionalLong lastTime = OptionalLong.empty();

    SimulatedStore(StorePlace place, SimulatedDisk disk) {
        this.place = place;
        this.disk = disk;
    }

    @Override
    public StorePlace openStore() {
        return place;
    }

    @Override
    public Disk openLog() {
        return disk;
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
    public void close() {
        // It outlives the process.
    }
}
