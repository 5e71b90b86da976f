/** Tests. */
@NullMarked
package dev.weir.storage.server;

import org.jspecify.annotations.NullMarked;
