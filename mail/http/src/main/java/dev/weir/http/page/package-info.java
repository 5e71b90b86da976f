/**
 * The page for operators: its files in the jar, compressed once, with the headers that keep other content out. Look
 * here when a file of the page is missing, stale or blocked by the browser.
 */
@NullMarked
package dev.weir.http.page;

import org.jspecify.annotations.NullMarked;
