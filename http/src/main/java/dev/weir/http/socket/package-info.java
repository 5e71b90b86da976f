/**
 * The control socket: what {@code rspamadm control} and {@code weir control} ask a running storage
 * (docs/reference/storage.md#control-socket). HTTP with one request for each connection, over a socket in the file
 * system that only the storage's user may open.
 */
@NullMarked
package dev.weir.http.socket;

import org.jspecify.annotations.NullMarked;
