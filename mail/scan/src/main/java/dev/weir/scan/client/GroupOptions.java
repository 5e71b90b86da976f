package dev.weir.scan.client;

import java.time.Duration;
import java.util.Optional;

import dev.weir.scan.rule.TcpOptions;

/**
 * The request options for the servers of a rule.
 *
 * @param timeout how long each attempt waits
 * @param retransmits the number of attempts after the first
 * @param hedgeAfter the time after which a second server is asked too
 * @param tcp when checks use TCP
 */
public record GroupOptions(Duration timeout, int retransmits, Optional<Duration> hedgeAfter, TcpOptions tcp) {}
