/**
 * The storage as a network service. A packet walks down one road: receive, open, decode, gate, match, seal, send; a
 * learn turns off to the update queue and is answered from there.
 */
@NullMarked
package dev.weir.storage.server;

import org.jspecify.annotations.NullMarked;
