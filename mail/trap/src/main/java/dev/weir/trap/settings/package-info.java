/**
 * The settings of traps, and their reader from {@code worker "trap"} of a configuration.
 */
@NullMarked
package dev.weir.trap.settings;

import org.jspecify.annotations.NullMarked;
