package dev.weir.scan.upstream;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

/** Looks names up. May block. Safe for any number of threads. */
public interface Resolver {
    /**
     * A server that a service record names.
     *
     * @param host its name
     * @param port its port
     * @param weight of the record
     */
    record Location(String host, int port, int priority, int weight) {}

    /**
     * The addresses of a host.
     *
     * @throws UnknownHostException if there is none
     */
    List<InetAddress> addresses(String host) throws UnknownHostException;

    /**
     * The servers of {@code _service._tcp.domain}; none if the name exists without service records.
     *
     * @throws UnknownHostException if the name does not exist; the message has it
     */
    List<Location> services(String service, String domain) throws UnknownHostException;
}
