/**
 * One non-blocking client for many storages: an event loop with a socket a server, requests matched to replies by their
 * tags, attempts, health, shards and TCP (docs/reference/scanner.md#server-lists).
 *
 * <p>Everything inside lives on the thread of the loop and needs no locks; other threads only hand in requests.
 */
@NullMarked
package dev.weir.scan.client;

import org.jspecify.annotations.NullMarked;
