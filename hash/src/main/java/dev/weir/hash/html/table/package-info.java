/** Reads the tables of names and numbers that the HTML and CSS packages ship as resources. */
@NullMarked
package dev.weir.hash.html.table;

import org.jspecify.annotations.NullMarked;
