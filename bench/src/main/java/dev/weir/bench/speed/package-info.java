/** What the measurements of speed share: pinned servers, prepared data, rounds of load, results as JSON, and the picture. */
@NullMarked
package dev.weir.bench.speed;

import org.jspecify.annotations.NullMarked;
