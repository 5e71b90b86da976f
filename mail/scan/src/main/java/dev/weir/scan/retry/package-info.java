/** A durable queue of updates for unreachable servers, which sends them until the server confirms or refuses. */
@NullMarked
package dev.weir.scan.retry;

import org.jspecify.annotations.NullMarked;
