/**
 * The storage as a network service. Each packet passes the same steps: receive, open, decode, gate, match, seal,
 * send. An update goes to the update queue, which answers it.
 */
@NullMarked
package dev.weir.storage.server;

import org.jspecify.annotations.NullMarked;
