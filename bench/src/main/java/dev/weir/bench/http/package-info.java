/**
 * Mails by HTTP: a load of scans over connections, and the scanners that take it, each in front of the same storage.
 */
@NullMarked
package dev.weir.bench.http;

import org.jspecify.annotations.NullMarked;
