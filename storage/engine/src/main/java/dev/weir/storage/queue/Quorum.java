package dev.weir.storage.queue;

import java.time.Duration;

/** The condition, beyond the own disk, under which updates are acknowledged. Any thread may ask. */
public interface Quorum {
    /** Only the own disk counts. */
    Quorum NONE = new Quorum() {
        @Override
        public long reached() {
            return Long.MAX_VALUE;
        }

        @Override
        public Duration patience() {
            return Duration.ZERO;
        }
    };

    /** Returns the last revision that enough other nodes have on their disks. Never shrinks while the process runs. */
    long reached();

    /** Returns how long an update may wait for them before its client gets an error. */
    Duration patience();
}
