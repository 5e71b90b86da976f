/** The crypto box of requests and replies, and its ciphers. Look here when a datagram cannot be decrypted. */
@NullMarked
package dev.weir.wire.box;

import org.jspecify.annotations.NullMarked;
