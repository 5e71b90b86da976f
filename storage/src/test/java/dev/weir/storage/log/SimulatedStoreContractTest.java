package dev.weir.storage.log;

import java.util.EnumMap;
import java.util.SplittableRandom;

import dev.weir.storage.engine.SnapshotStore;
import dev.weir.storage.engine.SnapshotStoreContract;

/** The simulated store behaves as the file does where the simulator takes its place. */
class SimulatedStoreContractTest extends SnapshotStoreContract {
    @Override
    protected SnapshotStore store() {
        Faults faults = new Faults(new SplittableRandom(1), new EnumMap<>(Fault.class));
        return new SimulatedStore(new SimulatedBackend(faults, new Ledger()),
                new SimulatedDisk(faults, SimulatedDisk.Watcher.NONE), faults);
    }
}
