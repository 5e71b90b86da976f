/** Tests of the client. */
@NullMarked
package dev.weir.scan.client;

import org.jspecify.annotations.NullMarked;
