/** Tests of the handling of requests. */
@NullMarked
package dev.weir.storage.server.request;

import org.jspecify.annotations.NullMarked;
