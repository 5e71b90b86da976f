/**
 * The command {@code weir}: one class a subcommand, and what they share to read mails and to report.
 *
 * <p>Results go to standard output, everything else to standard error; {@link ExitCode} lists what the status means.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
