/** Tests of the access rules and their state. */
@NullMarked
package dev.weir.storage.access.gate;

import org.jspecify.annotations.NullMarked;
