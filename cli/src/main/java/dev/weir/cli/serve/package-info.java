/**
 * Holds {@code weir serve}: options, start, reload and stop of the servers; look here when the process does not
 * start, reload or end.
 */
@NullMarked
package dev.weir.cli.serve;

import org.jspecify.annotations.NullMarked;
