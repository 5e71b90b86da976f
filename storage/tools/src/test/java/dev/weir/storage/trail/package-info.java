/** Tests of {@code dev.weir.storage.trail}. */
@NullMarked
package dev.weir.storage.trail;

import org.jspecify.annotations.NullMarked;
