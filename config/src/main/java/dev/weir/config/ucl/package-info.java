/**
 * UCL, the language of Rspamd's configuration files: a parser, the tree that it yields, and two printers.
 *
 * <p>Every value keeps its place and its priority. Nothing here reads files.
 */
@NullMarked
package dev.weir.config.ucl;

import org.jspecify.annotations.NullMarked;
