package dev.weir.scan.upstream;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** A resolver of names. May block. Safe for any number of threads. */
public interface Resolver {
    /**
     * A server in a service record.
     *
     * @param host the name of the server
     * @param port the port of the server
     * @param weight the weight in the record
     */
    record Location(String host, int port, int priority, int weight) {}

    /**
     * Returns the addresses of a host.
     *
     * @throws UnknownHostException if the host has no address
     */
    List<InetAddress> addresses(String host) throws UnknownHostException;

    /**
     * Returns the servers of {@code _service._tcp.domain}. Empty if the name exists without service records.
     *
     * @throws UnknownHostException if the name does not exist; the message contains the name
     */
    List<Location> services(String service, String domain) throws UnknownHostException;
}
