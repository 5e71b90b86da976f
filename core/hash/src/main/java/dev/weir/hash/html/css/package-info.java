/**
 * The subset of CSS that determines whether text in a mail is visible: declarations, sheets with simple selectors,
 * colors.
 */
@NullMarked
package dev.weir.hash.html.css;

import org.jspecify.annotations.NullMarked;
