/** The sockets that carry queries, over UDP and TCP. Look here when queries do not leave or answers do not arrive. */
@NullMarked
package dev.weir.load.socket;

import org.jspecify.annotations.NullMarked;
