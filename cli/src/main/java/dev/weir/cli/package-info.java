/**
 * Holds the command {@code weir} and its list of subcommands; look here when the process does not start, and below it,
 * by subject, for one subcommand.
 *
 * <p>Results go to standard output, everything else to standard error; {@link dev.weir.cli.terminal.ExitCode} lists
 * what the status means.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
