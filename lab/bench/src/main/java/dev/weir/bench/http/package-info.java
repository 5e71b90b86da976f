/**
 * Holds {@code http} and {@code dead-server}: loads of scans over HTTP and the scanners that serve them; look here when
 * scans per second are in doubt.
 */
@NullMarked
package dev.weir.bench.http;

import org.jspecify.annotations.NullMarked;
