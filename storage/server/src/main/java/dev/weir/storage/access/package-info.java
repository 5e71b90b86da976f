/**
 * Holds the access rules of a storage as plain data: permissions, rate limits, and withheld answers.
 * {@link dev.weir.storage.access.Access} combines them. Look here to add an option to a rule; look in {@code gate} for
 * the code that applies the rules.
 */
@NullMarked
package dev.weir.storage.access;

import org.jspecify.annotations.NullMarked;
