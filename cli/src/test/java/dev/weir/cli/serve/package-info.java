/** Tests options of {@code weir serve} and its reload. */
@NullMarked
package dev.weir.cli.serve;

import org.jspecify.annotations.NullMarked;
