package dev.weir.storage.log;

import java.util.EnumMap;
import java.util.SplittableRandom;

import dev.weir.storage.engine.SnapshotStore;
import dev.weir.storage.engine.SnapshotStoreContract;

/** The simulated store must behave like the file that it replaces. */
class SimulatedStoreContractTest extends SnapshotStoreContract {
    @Override
    protected SnapshotStore store() {
        Faults faults = new Faults(new SplittableRandom(1), new EnumMap<>(Fault.class));
        return new SimulatedStore(new SimulatedBackend(faults, new Ledger()),
                new SimulatedDisk(faults, SimulatedDisk.Watcher.NONE), faults);
    }
}
