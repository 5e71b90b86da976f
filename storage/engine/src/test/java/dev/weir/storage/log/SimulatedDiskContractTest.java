package dev.weir.storage.log;

import java.util.EnumMap;
import java.util.SplittableRandom;

/** The simulator proves something only if its disk behaves like a real one. */
class SimulatedDiskContractTest extends DiskContract {
    @Override
    Disk empty() {
        return new SimulatedDisk(new Faults(new SplittableRandom(1), new EnumMap<>(Fault.class)),
                SimulatedDisk.Watcher.NONE);
    }
}
