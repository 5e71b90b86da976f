/** Tests of the measuring programs: small runs against the real servers. */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
