/** Tests of {@code dev.weir.storage.admin}. */
@NullMarked
package dev.weir.storage.admin;

import org.jspecify.annotations.NullMarked;
