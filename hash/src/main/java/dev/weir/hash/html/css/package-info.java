/**
 * The little of CSS that decides whether text in a mail can be seen: declarations, sheets with simple selectors,
 * colours.
 */
@NullMarked
package dev.weir.hash.html.css;

import org.jspecify.annotations.NullMarked;
