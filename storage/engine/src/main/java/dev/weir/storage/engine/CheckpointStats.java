package dev.weir.storage.engine;

import java.time.Duration;

/**
 * The state of the files of a store.
 *
 * @param backlogBytes bytes of slots that may not be on disk yet
 * @param checkpointAge time since the last checkpoint or the start
 * @param bytesWritten bytes written since the start, without the update log
 * @param freeSlots number of free slots that new hashes may use
 */
public record CheckpointStats(long backlogBytes, Duration checkpointAge, long bytesWritten, long freeSlots) {}
