/** The mail reader against the reference's part lists, its own rules, and rubbish. */
@NullMarked
package dev.weir.hash.mime;

import org.jspecify.annotations.NullMarked;
