/**
 * Requests and replies of HTTP/1.0 and 1.1 as values, and the one reader of requests, used for what comes from the network
 * and for what an encrypted body holds. Knows no sockets and no endpoints.
 */
@NullMarked
package dev.weir.http.message;

import org.jspecify.annotations.NullMarked;
