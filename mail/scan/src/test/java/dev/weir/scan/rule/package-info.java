/** Tests of the rule readers. */
@NullMarked
package dev.weir.scan.rule;

import org.jspecify.annotations.NullMarked;
