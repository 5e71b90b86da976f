/** The budget of one mail: limits on time and repeated work, whatever the mail contains. */
@NullMarked
package dev.weir.hash.effort;

import org.jspecify.annotations.NullMarked;
