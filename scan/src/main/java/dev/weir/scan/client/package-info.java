/**
 * One non-blocking client for many storages: an event loop with a socket a server, requests matched to replies by their
 * tags, attempts, health, shards and TCP (spec/check-module.md sections 3 and 4).
 *
 * <p>Everything inside lives on the thread of the loop and needs no locks; other threads only hand in requests.
 */
@NullMarked
package dev.weir.scan.client;

import org.jspecify.annotations.NullMarked;
