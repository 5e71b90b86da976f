package dev.weir.storage.engine;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.weir.model.Digest;
import dev.weir.model.Signature;
import dev.weir.storage.StorageException;
import dev.weir.storage.brake.RemovalBrake;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.StateSink;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;

/**
 * The parts of an engine for those that attach to it.
 *
 * @param index has every update of the log
 * @param seconds the time to record in updates, in seconds since 1970
 * @param nanos a monotonic clock
 * @param signatures the signatures of hashes of which the index has only a part
 * @param brake asked before many hashes are removed
 * @param checkpoint asks for a checkpoint
 */
public record EngineParts(UpdateLog log, HashIndex index, StateSink writer, Timing timing, StorageClock clock,
        LongSupplier seconds, LongSupplier nanos, Signatures signatures, RemovalBrake brake,
        Supplier<CompletableFuture<Long>> checkpoint) {
    /** The signatures on disk. */
    @FunctionalInterface
    public interface Signatures {
        /** Returns the signatures of some hashes; those without one are left out. */
        Map<Digest, Signature> of(Set<Digest> digests) throws StorageException;
    }
}
