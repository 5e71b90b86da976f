/** Whole mails against what the reference sent for them. */
@NullMarked
package dev.weir.hash;

import org.jspecify.annotations.NullMarked;
