/**
 * The input and output of all commands, their error reports, and the exit statuses. Look here when the format of output
 * is wrong.
 */
@NullMarked
package dev.weir.cli.terminal;

import org.jspecify.annotations.NullMarked;
