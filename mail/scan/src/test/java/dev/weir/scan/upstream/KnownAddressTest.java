package dev.weir.scan.upstream;

import java.net.InetAddress;

final class KnownAddressTest extends ResolverContract {
    @Override
    protected Resolver resolver() {
        return new KnownAddress(InetAddress.ofLiteral("127.0.0.1"));
    }
}
