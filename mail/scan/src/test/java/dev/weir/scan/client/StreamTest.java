package dev.weir.scan.client;

import java.time.Duration;

import dev.weir.scan.rule.TcpOptions;

final class StreamTest extends TransportContract {
    @Override
    String name() {
        return "tcp";
    }

    @Override
    TcpOptions tcp() {
        return new TcpOptions(TcpOptions.Use.ALWAYS, 1, Duration.ofSeconds(1), Duration.ofSeconds(5),
                Duration.ofMinutes(1), Duration.ofMillis(1));
    }
}
