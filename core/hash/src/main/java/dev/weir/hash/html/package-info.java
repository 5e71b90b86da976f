/**
 * HTML in mail: a lenient parser that builds Rspamd's tag tree (which differs from the tree of the HTML standard), the
 * visible text, and the structure that is hashed besides the text.
 *
 * <p>The steps for one part: {@link dev.weir.hash.html.HtmlTokenizer} splits the bytes into tags,
 * {@link dev.weir.hash.html.TreeBuilder} builds the tree, {@link dev.weir.hash.html.StyleResolver} determines what is
 * visible, and {@link dev.weir.hash.html.TextCollector} writes the text.
 */
@NullMarked
package dev.weir.hash.html;

import org.jspecify.annotations.NullMarked;
