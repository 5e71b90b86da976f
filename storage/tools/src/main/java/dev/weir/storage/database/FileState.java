package dev.weir.storage.database;

/**
 * A state of the place where a backend keeps its hashes. It reveals whether a program has written there.
 *
 * @param bytes the size of the data
 * @param nanos the time of the last change, in nanoseconds since 1970, with the precision of the place
 */
public record FileState(long bytes, long nanos) {}
