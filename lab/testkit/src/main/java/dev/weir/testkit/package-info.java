/**
 * Clients and servers on loopback for tests and measurements: raw clients over UDP and TCP, a scripted storage, an echo
 * peer, a UDP socket with a handler, and a real Redis. Only tests and {@code bench} use this module.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
