package dev.weir.scan;

import java.net.InetAddress;

import dev.weir.scan.upstream.Resolver;
import dev.weir.scan.upstream.ResolverContract;

final class KnownAddressTest extends ResolverContract {
    @Override
    protected Resolver resolver() {
        return new StorageClient.KnownAddress(InetAddress.ofLiteral("127.0.0.1"));
    }
}
