/** Tests and what several of them share. */
@NullMarked
package dev.weir.storage;

import org.jspecify.annotations.NullMarked;
