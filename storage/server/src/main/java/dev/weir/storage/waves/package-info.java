/**
 * Waves: unknown near-duplicate mails that many clients ask about. Receiving threads pass checks
 * without a hit to one background thread through {@link dev.weir.storage.waves.MissRing}; {@code WaveTable} groups and
 * counts them within a bound of memory; {@link dev.weir.storage.waves.Waves} decides which groups answer checks, and
 * which are learned. Look here when a wave is missing, its counts are wrong, or it answers and should not
 * (docs/operate/waves.md).
 */
@NullMarked
package dev.weir.storage.waves;

import org.jspecify.annotations.NullMarked;
