/** Tests the levels and the forms of the log. */
@NullMarked
package dev.weir.cli.logging;

import org.jspecify.annotations.NullMarked;
