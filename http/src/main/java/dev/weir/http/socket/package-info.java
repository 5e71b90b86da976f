/**
 * The control socket: what {@code rspamadm control} and {@code weir control} ask a running storage (spec/storage.md section
 * 12.2). HTTP with one request for each connection, over a socket in the file system that only the storage's user may open.
 */
@NullMarked
package dev.weir.http.socket;

import org.jspecify.annotations.NullMarked;
