/**
 * Text analysis: turns the UTF-8 text of a mail part into the stems that enter its fuzzy hash. The steps are joining
 * lines, separating URLs, finding word boundaries, normalizing words, thinning out long texts, detecting the language,
 * and stemming (docs/reference/hashing.md#line-breaks).
 */
@NullMarked
package dev.weir.hash.text;

import org.jspecify.annotations.NullMarked;
