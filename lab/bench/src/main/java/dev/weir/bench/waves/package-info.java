/**
 * Holds {@code waves}, which measures what the counting of unknown mail finds, what it costs, and that a flood does not
 * disturb it; look here when a wave is missing or a check became slower.
 */
@NullMarked
package dev.weir.bench.waves;

import org.jspecify.annotations.NullMarked;
