/** Tests of server selection. */
@NullMarked
package dev.weir.scan.upstream;

import org.jspecify.annotations.NullMarked;
