/**
 * Which server is asked: the lists that rules name, selection, health, sharding and looking names up
 * (spec/check-module.md sections 3.1 to 3.3). Nothing here sends anything.
 */
@NullMarked
package dev.weir.scan.upstream;

import org.jspecify.annotations.NullMarked;
