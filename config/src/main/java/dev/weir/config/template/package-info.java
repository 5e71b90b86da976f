/**
 * The template language that Rspamd runs over every configuration file before it reads it.
 *
 * <p>The subset that real trees use: output with filters, conditions, assignments, raw blocks and comments.
 */
@NullMarked
package dev.weir.config.template;

import org.jspecify.annotations.NullMarked;
