/**
 * What the packages need besides the program itself: manual pages from the descriptions of the commands, and class
 * files that a class archive accepts. {@code packages/assemble} calls both.
 */
@NullMarked
package dev.weir.packages;

import org.jspecify.annotations.NullMarked;
