/** Tests of pushed updates on the wire, with what a genuine master and a genuine slave sent. */
@NullMarked
package dev.weir.http.push;

import org.jspecify.annotations.NullMarked;
