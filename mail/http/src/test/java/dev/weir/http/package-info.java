/** The whole service in front of a storage, by any HTTP client. */
@NullMarked
package dev.weir.http;

import org.jspecify.annotations.NullMarked;
