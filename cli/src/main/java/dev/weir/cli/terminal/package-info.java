/**
 * Holds where every command reads and prints, how it reports failure, and the exit statuses; look here when output
 * has a wrong form.
 */
@NullMarked
package dev.weir.cli.terminal;

import org.jspecify.annotations.NullMarked;
