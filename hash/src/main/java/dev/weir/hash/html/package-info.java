/**
 * HTML as mail carries it: a forgiving parser that builds Rspamd's tag tree (not the tree of the HTML standard), what a
 * reader sees of it as text, and the structure that is hashed beside the text.
 *
 * <p>The road of a part: {@link dev.weir.hash.html.HtmlTokenizer} cuts the bytes into tags,
 * {@link dev.weir.hash.html.TreeBuilder} makes the tree, {@link dev.weir.hash.html.StyleResolver} says what is visible,
 * {@link dev.weir.hash.html.TextCollector} writes the text.
 */
@NullMarked
package dev.weir.hash.html;

import org.jspecify.annotations.NullMarked;
