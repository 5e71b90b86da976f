/**
 * Requests and replies of HTTP/1.0 and 1.1 as values, and the one reader of requests, which also reads the content of
 * encrypted bodies. Independent of sockets and endpoints.
 */
@NullMarked
package dev.weir.http.message;

import org.jspecify.annotations.NullMarked;
