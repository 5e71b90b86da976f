/** Tests of both kinds of UDP sockets and of Unix-domain socket files. */
@NullMarked
package dev.weir.net;

import org.jspecify.annotations.NullMarked;
