/**
 * Holds {@code http} and {@code dead-server}: a load of scans over HTTP, and the scanners that take it, each in front
 * of the same storage; look here when scans per second are in doubt.
 */
@NullMarked
package dev.weir.bench.http;

import org.jspecify.annotations.NullMarked;
