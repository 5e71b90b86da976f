package dev.weir.storage.engine;

import java.util.Optional;
import java.util.function.LongSupplier;

import dev.weir.storage.checkpoint.CheckpointLock;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.log.Disk;
import dev.weir.storage.mirror.MirrorPlace;

/**
 * The place of a store.
 *
 * @param disk the folder of its files
 * @param settings its sizes
 * @param ids draws the number of a new storage
 * @param lock keeps checkpoints away while another program reads
 * @param mirror where a copy for other programs is kept up to date
 */
public record CheckpointPlace(Disk disk, CheckpointSettings settings, LongSupplier ids, CheckpointLock lock,
        Optional<MirrorPlace> mirror) {}
