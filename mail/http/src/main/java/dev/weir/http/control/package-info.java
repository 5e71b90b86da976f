/**
 * The commands of {@code rspamadm control} and {@code weir control} to a running storage
 * (docs/reference/storage.md#control-socket): a handler on the HTTP server, over a Unix-domain socket that only the
 * user of the storage may open.
 */
@NullMarked
package dev.weir.http.control;

import org.jspecify.annotations.NullMarked;
