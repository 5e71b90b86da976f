/** Options that several commands share, and parsers of values. Look here when a command rejects a value. */
@NullMarked
package dev.weir.cli.option;

import org.jspecify.annotations.NullMarked;
