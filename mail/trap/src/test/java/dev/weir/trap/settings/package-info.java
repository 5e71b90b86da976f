/** Tests of the settings. */
@NullMarked
package dev.weir.trap.settings;

import org.jspecify.annotations.NullMarked;
