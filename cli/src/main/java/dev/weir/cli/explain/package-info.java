/** {@code weir explain}: the command that prints the explanations of {@code dev.weir.scan.explain}. */
@NullMarked
package dev.weir.cli.explain;

import org.jspecify.annotations.NullMarked;
