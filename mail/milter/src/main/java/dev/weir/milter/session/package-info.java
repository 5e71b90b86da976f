/**
 * What a filter does during a connection of a mail server: it collects a mail, has it scanned, and decides.
 */
@NullMarked
package dev.weir.milter.session;

import org.jspecify.annotations.NullMarked;
