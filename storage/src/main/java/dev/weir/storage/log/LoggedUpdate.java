package dev.weir.storage.log;

import dev.weir.storage.Update;

/**
 * One record of the log.
 *
 * @param revision counts updates from 1
 * @param millis when it was accepted, milliseconds since the epoch
 * @param origin who asked for it
 * @param update what was asked
 */
public record LoggedUpdate(long revision, long millis, Origin origin, Update update) {}
