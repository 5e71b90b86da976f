/** Tests {@code weir control}. */
@NullMarked
package dev.weir.cli.control;

import org.jspecify.annotations.NullMarked;
