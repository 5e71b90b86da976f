/**
 * Which server is asked: the lists that rules name, selection, health, sharding and looking names up
 * (docs/reference/scanner.md#server-lists). Nothing here sends anything.
 */
@NullMarked
package dev.weir.scan.upstream;

import org.jspecify.annotations.NullMarked;
