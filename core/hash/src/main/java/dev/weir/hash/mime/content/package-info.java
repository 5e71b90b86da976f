/**
 * Detection of what a body contains, independent of its headers: type by signature, archive structure, image size
 * (docs/reference/hashing.md#content-detection).
 */
@NullMarked
package dev.weir.hash.mime.content;

import org.jspecify.annotations.NullMarked;
