@NullMarked
package dev.weir.scan.outgoing;

import org.jspecify.annotations.NullMarked;
