@NullMarked
package dev.weir.storage.mirror;

import org.jspecify.annotations.NullMarked;
