/** Encryption, by what real clients sent. */
@NullMarked
package dev.weir.http.crypt;

import org.jspecify.annotations.NullMarked;
