/**
 * The command {@code weir} and its list of subcommands. Look here when the process does not start. The packages below
 * contain the subcommands, by subject.
 *
 * <p>Results go to standard output, everything else to standard error. {@link dev.weir.cli.terminal.ExitCode} lists the
 * exit statuses.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
