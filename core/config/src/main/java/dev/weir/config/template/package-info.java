/**
 * The template language that Rspamd applies to every configuration file before parsing it.
 *
 * <p>This package implements the subset that real trees use: output with filters, conditions, assignments, raw blocks
 * and comments.
 */
@NullMarked
package dev.weir.config.template;

import org.jspecify.annotations.NullMarked;
