/**
 * A mail filter that speaks Sendmail's milter protocol (docs/reference/milter-protocol.md). A mail server sends each
 * mail before it accepts it, and {@link dev.weir.milter.MilterService} answers what to do with it.
 */
@NullMarked
package dev.weir.milter;

import org.jspecify.annotations.NullMarked;
