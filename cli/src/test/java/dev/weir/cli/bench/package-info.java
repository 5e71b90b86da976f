/** Tests {@code weir bench} with a storage in the same process. */
@NullMarked
package dev.weir.cli.bench;

import org.jspecify.annotations.NullMarked;
