/** Tests. */
@NullMarked
package dev.weir.milter.session;

import org.jspecify.annotations.NullMarked;
