/** Tests of the table of shares. */
@NullMarked
package dev.weir.bench.profile;

import org.jspecify.annotations.NullMarked;
