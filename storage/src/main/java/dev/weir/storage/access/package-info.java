/**
 * Holds the rules of a storage as plain data: who may do what, how often, and what is kept back
 * ({@link dev.weir.storage.access.Access} is the whole). Look here when a rule needs another option; look in
 * {@code gate} for what applies the rules.
 */
@NullMarked
package dev.weir.storage.access;

import org.jspecify.annotations.NullMarked;
