/**
 * Server selection: the server lists of rules, selection, health, sharding and name resolution
 * (docs/reference/scanner.md#server-lists). This package sends nothing.
 */
@NullMarked
package dev.weir.scan.upstream;

import org.jspecify.annotations.NullMarked;
