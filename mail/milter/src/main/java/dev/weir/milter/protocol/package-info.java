/**
 * The packets of the milter protocol: what a mail server sends, and what a filter answers
 * (docs/reference/milter-protocol.md).
 */
@NullMarked
package dev.weir.milter.protocol;

import org.jspecify.annotations.NullMarked;
