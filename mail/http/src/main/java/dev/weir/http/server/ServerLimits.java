package dev.weir.http.server;

import java.time.Duration;

import dev.weir.http.message.HttpLimits;

/**
 * The limits of a server, for all clients together and for each.
 *
 * @param request limits of one request
 * @param connections maximum number of open connections; others wait
 * @param perAddress maximum number for one address other than loopback; others are closed
 * @param receive maximum time until a whole request has arrived
 * @param answer maximum time from then on until the reply is written
 * @param write the part of {@code answer} in which the client must read the reply
 */
public record ServerLimits(HttpLimits request, int connections, int perAddress, Duration receive, Duration answer,
        Duration write) {
    /** 1024 connections, half of them for one address; 60 s to send a request, 60 s for its reply. */
    public static final ServerLimits DEFAULT = new ServerLimits(HttpLimits.DEFAULT, 1024, 512, Duration.ofSeconds(60),
            Duration.ofSeconds(60), Duration.ofSeconds(60));

    /** Checks that all of them are usable. */
    public ServerLimits {
        if (connections < 1 || perAddress < 1 || !receive.isPositive() || !answer.isPositive()
                || !write.isPositive()) {
            throw new IllegalArgumentException(connections + " connections, " + perAddress + " for one address, "
                    + receive + " to receive, " + answer + " to answer, " + write + " to write");
        }
    }
}
