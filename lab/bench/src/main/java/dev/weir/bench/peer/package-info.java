/**
 * Holds the servers under measurement, each a child process with a folder in the workspace, and readers of their
 * backends; look here when a server does not start.
 */
@NullMarked
package dev.weir.bench.peer;

import org.jspecify.annotations.NullMarked;
