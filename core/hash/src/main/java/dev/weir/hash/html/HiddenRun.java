package dev.weir.hash.html;

/**
 * A stretch of the input that is text of a hidden element.
 *
 * @param node the element
 * @param from start of the text
 * @param to end of the text
 */
record HiddenRun(HtmlNode node, int from, int to) {}
