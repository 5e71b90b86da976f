/** The header fields of a mail as far as checking and reporting need them. */
@NullMarked
package dev.weir.scan.mail;

import org.jspecify.annotations.NullMarked;
