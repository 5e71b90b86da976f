package dev.weir.storage.backend;

/**
 * A state of the place where a backend keeps its hashes, to find out whether a program wrote there meanwhile.
 *
 * @param bytes the size of what is stored
 * @param nanos the last change, in nanoseconds since 1970, as fine as the place records it
 */
public record Fingerprint(long bytes, long nanos) {}
