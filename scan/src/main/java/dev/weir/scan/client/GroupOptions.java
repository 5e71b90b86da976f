package dev.weir.scan.client;

import java.time.Duration;
import java.util.Optional;

import dev.weir.scan.rule.TcpOptions;

/**
 * How the servers of a rule are asked.
 *
 * @param timeout how long each attempt waits
 * @param retransmits attempts after the first
 * @param hedgeAfter when a second server is asked as well
 * @param tcp when checks go over TCP
 */
public record GroupOptions(Duration timeout, int retransmits, Optional<Duration> hedgeAfter, TcpOptions tcp) {}
