/**
 * The packets of the milter protocol: what a mail server sends, and what a filter answers (docs/reference/milter.md).
 */
@NullMarked
package dev.weir.milter.protocol;

import org.jspecify.annotations.NullMarked;
