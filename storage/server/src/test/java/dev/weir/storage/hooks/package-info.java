/** Tests of handlers. */
@NullMarked
package dev.weir.storage.hooks;

import org.jspecify.annotations.NullMarked;
