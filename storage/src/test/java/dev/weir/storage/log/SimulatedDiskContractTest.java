package dev.weir.storage.log;

import java.util.EnumMap;
import java.util.SplittableRandom;

/** The proofs of the simulator hold only if its disk behaves as a real one does. */
class SimulatedDiskContractTest extends DiskContract {
    @Override
    Disk empty() {
        return new SimulatedDisk(new Faults(new SplittableRandom(1), new EnumMap<>(Fault.class)),
                SimulatedDisk.Watcher.NONE);
    }
}
