/**
 * Clients and storages on loopback for tests: raw clients over UDP and TCP, a scripted storage, an echo peer, and a UDP
 * socket with a handler. Only tests use this module.
 */
@NullMarked
package dev.weir.testkit;

import org.jspecify.annotations.NullMarked;
