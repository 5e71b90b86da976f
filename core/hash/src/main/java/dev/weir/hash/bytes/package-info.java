/** Search, comparison and validation of byte arrays, several bytes per step where every byte of a mail is visited. */
@NullMarked
package dev.weir.hash.bytes;

import org.jspecify.annotations.NullMarked;
