package dev.weir.scan.client;

import dev.weir.scan.rule.TcpOptions;

final class LinkTest extends TransportContract {
    @Override
    String name() {
        return "udp";
    }

    @Override
    TcpOptions tcp() {
        return TcpOptions.OFF;
    }
}
