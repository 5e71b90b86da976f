/** Tests {@code weir bench} against a storage in the same process. */
@NullMarked
package dev.weir.cli.bench;

import org.jspecify.annotations.NullMarked;
