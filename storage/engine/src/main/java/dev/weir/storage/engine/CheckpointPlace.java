package dev.weir.storage.engine;

import java.util.function.LongSupplier;

import dev.weir.storage.checkpoint.CheckpointLock;
import dev.weir.storage.checkpoint.CheckpointSettings;
import dev.weir.storage.log.Disk;

/**
 * The place of a store.
 *
 * @param disk the folder of its files
 * @param settings its sizes
 * @param ids draws the number of a new storage
 * @param lock keeps checkpoints away while another program reads
 */
public record CheckpointPlace(Disk disk, CheckpointSettings settings, LongSupplier ids, CheckpointLock lock) {}
