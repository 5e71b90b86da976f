/**
 * Listening sockets and connections of mail servers, each with its own virtual thread.
 */
@NullMarked
package dev.weir.milter.server;

import org.jspecify.annotations.NullMarked;
