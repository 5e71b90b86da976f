package dev.weir.storage.shared;

import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.brake.RemovalBrake;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.Timing;

/**
 * What a node brings along.
 *
 * @param log the updates of the node
 * @param claim the claim of Redis to the log
 * @param sink the writer
 * @param timing the age of expiry
 * @param seconds the time that this node writes into updates, in seconds since 1970
 * @param signatures the signatures of its hashes
 * @param brake asked before a comparison removes hashes
 */
public record SharedParts(UpdateLog log, LogClaim claim, StateSink sink, Timing timing, LongSupplier seconds,
        Signatures signatures, RemovalBrake brake) {

    /** Where the index has only a part of a signature. */
    @FunctionalInterface
    public interface Signatures {
        /** Returns the signatures of some hashes; those without one are left out. */
        Map<Digest, Signature> of(Set<Digest> digests) throws StorageException;
    }
}
