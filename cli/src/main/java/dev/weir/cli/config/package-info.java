/**
 * {@code weir config}, and the reader of configurations for other commands. Look here when a command reads a
 * configuration incorrectly.
 */
@NullMarked
package dev.weir.cli.config;

import org.jspecify.annotations.NullMarked;
