package dev.weir.storage.engine;

import java.util.Optional;
import java.util.function.LongSupplier;

import dev.weir.storage.log.Disk;
import dev.weir.storage.queue.MirrorPlace;
import dev.weir.storage.store.CheckpointLock;
import dev.weir.storage.store.StoreSettings;

/**
 * The place of a store.
 *
 * @param disk the folder of its files
 * @param settings its sizes
 * @param ids draws the number of a new storage
 * @param lock keeps checkpoints away while another program reads
 * @param mirror where a copy for other programs is kept up to date
 */
public record StorePlace(Disk disk, StoreSettings settings, LongSupplier ids, CheckpointLock lock,
        Optional<MirrorPlace> mirror) {}
