package dev.weir.cli.client;

import dev.weir.scan.UpstreamException;

/**
 * The work of a command over an open client.
 *
 * @param <C> the client
 */
@FunctionalInterface
public interface ClientWork<C> {
    /** Does the work and returns the exit status. */
    int run(C client) throws UpstreamException;
}
