/** Reads the data tables that the hashing packages ship as resources. */
@NullMarked
package dev.weir.hash.table;

import org.jspecify.annotations.NullMarked;
