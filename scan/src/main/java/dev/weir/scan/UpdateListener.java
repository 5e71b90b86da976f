package dev.weir.scan;

import dev.weir.model.Digest;

/** Hears of updates before they are sent. Must not block and must not throw. */
@FunctionalInterface
public interface UpdateListener {
    /**
     * An update is about to be sent, to one or several storages.
     *
     * @param tag of the update, by which a storage can recognize it together with the digest
     */
    void sending(Digest digest, int tag, Submitter submitter);
}
