/** Tests against the operating system that they run on. */
@NullMarked
package dev.weir.os;

import org.jspecify.annotations.NullMarked;
