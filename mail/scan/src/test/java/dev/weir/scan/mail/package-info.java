/** Tests of the mail headers. */
@NullMarked
package dev.weir.scan.mail;

import org.jspecify.annotations.NullMarked;
