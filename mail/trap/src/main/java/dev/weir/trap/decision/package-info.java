/**
 * The decision about each mail of a trap: which mails are learned, with which weight, and why the others are not
 * (docs/integrate/traps.md#decisions).
 */
@NullMarked
package dev.weir.trap.decision;

import org.jspecify.annotations.NullMarked;
