/** Tests of this package. */
@NullMarked
package dev.weir.scan.client;

import org.jspecify.annotations.NullMarked;
