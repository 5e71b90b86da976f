/**
 * Holds {@code differ}: mails made from a grammar, both hashers' answers for them, and the smallest variants for which
 * the answers differ. Look here for a rule of hashing that no recorded mail shows.
 */
@NullMarked
package dev.weir.bench.hashing.differ;

import org.jspecify.annotations.NullMarked;
