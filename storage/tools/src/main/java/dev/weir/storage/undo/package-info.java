/**
 * Undo: the plan that takes back what selected changes brought, and its execution through the update log. Look here
 * when an undo removes too much or too little.
 */
@NullMarked
package dev.weir.storage.undo;

import org.jspecify.annotations.NullMarked;
