/** Tests of the rules and of what they keep. */
@NullMarked
package dev.weir.storage.access.gate;

import org.jspecify.annotations.NullMarked;
