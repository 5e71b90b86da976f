/** Tests of this package. */
@NullMarked
package dev.weir.scan.mail;

import org.jspecify.annotations.NullMarked;
