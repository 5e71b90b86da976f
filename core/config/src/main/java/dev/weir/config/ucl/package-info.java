/**
 * UCL, the language of Rspamd's configuration files: a parser, the tree that it produces, and two printers.
 *
 * <p>Every value keeps its place and its priority. This package accesses no files itself.
 */
@NullMarked
package dev.weir.config.ucl;

import org.jspecify.annotations.NullMarked;
