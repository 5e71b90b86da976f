package dev.weir.scan.upstream;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * A resolver of one address that was looked up before.
 *
 * @param address the address of every host
 */
public record KnownAddress(InetAddress address) implements Resolver {
    /**
     * Looks up a host.
     *
     * @throws UnknownHostException if the name does not exist
     */
    public static KnownAddress of(String host) throws UnknownHostException {
        return new KnownAddress(InetAddress.getByName(host));
    }

    @Override
    public List<InetAddress> addresses(String host) {
        return List.of(address);
    }

    @Override
    public List<Location> services(String service, String domain) throws UnknownHostException {
        throw new UnknownHostException(domain);
    }
}
