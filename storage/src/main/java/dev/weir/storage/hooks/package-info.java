/**
 * Handlers in Lua that see commands before they are judged, checks after they were looked up, and clients that were
 * refused (docs/reference/storage.md#lua-handlers). Off unless a script is configured.
 */
@NullMarked
package dev.weir.storage.hooks;

import org.jspecify.annotations.NullMarked;
