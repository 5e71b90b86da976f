/**
 * From the UTF-8 text of a mail part to the stems that enter its fuzzy hash: lines joined, URLs set aside, word
 * boundaries, normal forms, the thinning out of long texts, language and stems (docs/reference/hashing.md#line-breaks).
 */
@NullMarked
package dev.weir.hash.text;

import org.jspecify.annotations.NullMarked;
