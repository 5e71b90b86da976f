package dev.weir.storage.log;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.SplittableRandom;

/** The simulator proves something about the log only as far as its disk does what a real one does. */
class SimulatedDiskContractTest extends DiskContract {
    private static final SimulatedDisk.Watcher UNWATCHED = new SimulatedDisk.Watcher() {
        @Override
        public void writes(ByteBuffer bytes, long position) {
            // Only the result counts here.
        }

        @Override
        public void begun(Segment segment) {
            // Only the result counts here.
        }
    };

    @Override
    Disk empty() {
        return new SimulatedDisk(new Faults(new SplittableRandom(1), new EnumMap<>(Fault.class)), UNWATCHED);
    }
}
