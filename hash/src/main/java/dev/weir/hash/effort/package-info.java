/** What reading one mail may cost, whatever the mail holds. */
@NullMarked
package dev.weir.hash.effort;

import org.jspecify.annotations.NullMarked;
