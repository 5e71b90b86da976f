/** Holds the box that encrypts requests and replies, and its ciphers; look here when a datagram cannot be decrypted. */
@NullMarked
package dev.weir.wire.box;

import org.jspecify.annotations.NullMarked;
