@NullMarked
package dev.weir.hash.effort;

import org.jspecify.annotations.NullMarked;
