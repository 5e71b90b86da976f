/** Tests of the file of campaigns. */
@NullMarked
package dev.weir.trap.campaign;

import org.jspecify.annotations.NullMarked;
