package dev.weir.scan;

import dev.weir.model.Digest;

/** A listener that is notified of updates before they are sent. It must not block and must not throw. */
@FunctionalInterface
public interface UpdateListener {
    /**
     * Receives an update that is about to be sent to one or more storages.
     *
     * @param tag the tag of the update; with the digest it identifies the update at a storage
     */
    void sending(Digest digest, int tag, Submitter submitter);
}
