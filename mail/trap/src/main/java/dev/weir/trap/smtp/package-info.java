/**
 * The doors of traps: SMTP (RFC 5321) and LMTP (RFC 2033) by SubEthaSMTP, with limits of connections, time and memory.
 */
@NullMarked
package dev.weir.trap.smtp;

import org.jspecify.annotations.NullMarked;
