/**
 * Holds the servers that are measured, each a child process in a folder of this run, and what their backends hold; look
 * here when a server does not start.
 */
@NullMarked
package dev.weir.bench.peer;

import org.jspecify.annotations.NullMarked;
