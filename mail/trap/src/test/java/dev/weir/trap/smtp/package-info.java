/** Tests of the SMTP servers of traps. */
@NullMarked
package dev.weir.trap.smtp;

import org.jspecify.annotations.NullMarked;
