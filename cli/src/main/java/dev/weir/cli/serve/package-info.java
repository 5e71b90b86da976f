/**
 * {@code weir serve}: options, start, reload and stop of the servers. Look here when the process does not start, reload
 * or stop.
 */
@NullMarked
package dev.weir.cli.serve;

import org.jspecify.annotations.NullMarked;
