package dev.weir.storage.shared;

import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.queue.Timing;

/**
 * What a node brings along.
 *
 * @param log the updates of the node
 * @param sink the writer
 * @param timing the age of expiry
 */
public record SharedParts(UpdateLog log, StateSink sink, Timing timing) {}
