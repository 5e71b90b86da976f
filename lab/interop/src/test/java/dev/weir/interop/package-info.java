/** Tests of Weir with the real programs (Rspamd, rspamc, Redis, proxies) on loopback. */
@NullMarked
package dev.weir.interop;

import org.jspecify.annotations.NullMarked;
