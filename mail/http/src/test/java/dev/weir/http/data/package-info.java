/** The endpoints of the page, compared with their description. */
@NullMarked
package dev.weir.http.data;

import org.jspecify.annotations.NullMarked;
