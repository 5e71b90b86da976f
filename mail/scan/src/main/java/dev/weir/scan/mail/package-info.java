/** Access to the header fields of a mail for checks and reports. */
@NullMarked
package dev.weir.scan.mail;

import org.jspecify.annotations.NullMarked;
