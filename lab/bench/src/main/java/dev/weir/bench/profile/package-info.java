/** Holds the profile of a scan: look here when the table of what a scan's processor time goes to is in doubt. */
@NullMarked
package dev.weir.bench.profile;

import org.jspecify.annotations.NullMarked;
