/** Certificates and keys in PEM files, and TLS with them. */
@NullMarked
package dev.weir.http.tls;

import org.jspecify.annotations.NullMarked;
