/**
 * Holds the entry point of the measuring programs, with a package for each subject; look here to add a program. They
 * measure a
 * storage as clients see it, beside the real Rspamd; every server runs in its own process.
 */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
