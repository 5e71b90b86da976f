/**
 * Holds {@code weir config} and the reading of a configuration for other commands; look here when a command reads a
 * configuration wrongly.
 */
@NullMarked
package dev.weir.cli.config;

import org.jspecify.annotations.NullMarked;
