/**
 * The connections of the replication of Rspamd 1.3 to 1.9: the intake of a slave on the port of the fuzzy protocol, and
 * the requests of a master. HTTPCrypt seals both.
 */
@NullMarked
package dev.weir.http.push;

import org.jspecify.annotations.NullMarked;
