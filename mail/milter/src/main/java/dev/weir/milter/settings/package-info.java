/**
 * The settings of a filter, and their reader from {@code worker "milter"} of a configuration.
 */
@NullMarked
package dev.weir.milter.settings;

import org.jspecify.annotations.NullMarked;
