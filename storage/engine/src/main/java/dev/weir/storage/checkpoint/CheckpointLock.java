package dev.weir.storage.checkpoint;

/** A lock that keeps checkpoints away while another program reads the last one. One thread uses it. */
public interface CheckpointLock {
    /** A lock of a store that no other program reads. */
    CheckpointLock NONE = new CheckpointLock() {
        @Override
        public boolean tryLock() {
            return true;
        }

        @Override
        public void unlock() {
            // There is nothing to release.
        }
    };

    /** Takes the lock before a checkpoint. Returns false if another program reads. */
    boolean tryLock();

    /** Releases the lock if it is held. */
    void unlock();
}
