/** Tests the measurement of campaigns with a few mails. */
@NullMarked
package dev.weir.bench.campaigns;

import org.jspecify.annotations.NullMarked;
