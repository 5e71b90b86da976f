/**
 * The campaigns that traps have seen, on disk: their signatures, their sources, and the weight learned so far.
 */
@NullMarked
package dev.weir.trap.campaign;

import org.jspecify.annotations.NullMarked;
