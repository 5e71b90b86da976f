/** Tests. */
@NullMarked
package dev.weir.milter.settings;

import org.jspecify.annotations.NullMarked;
