package dev.weir.trap.decision;

import java.net.InetAddress;
import java.util.Optional;

import dev.weir.model.AddressBits;
import dev.weir.model.Networks;
import dev.weir.scan.mail.MailHeaders;

/**
 * The host that sent a mail to the operator's own mail servers: the client, or the first host in the Received fields
 * that is not one of these servers. Fields below it may be forged and are not read.
 *
 * @param authenticated whether an own server states that the host proved who it is (RFC 3848)
 */
record SendingHost(InetAddress address, boolean authenticated) {
    /** More fields than any own chain of mail servers adds. */
    private static final int MOST_FIELDS = 30;

    /**
     * Finds the host.
     *
     * @param relays the own mail servers
     * @return empty if no field names it
     */
    static Optional<SendingHost> of(Optional<InetAddress> client, MailHeaders headers, Networks relays) {
        if (client.isPresent() && !relays.contains(client.get())) {
            return client.map(host -> new SendingHost(host, false));
        }
        for (String field : headers.all("Received").stream().limit(MOST_FIELDS).toList()) {
            ReceivedBy received = ReceivedBy.read(field);
            if (received.client().isEmpty() || !relays.contains(received.client().get())) {
                return received.client().map(host -> new SendingHost(host, received.authenticated()));
            }
        }
        return Optional.empty();
    }

    /** Returns the network that counts as one source: 24 bits of IPv4, 48 bits of IPv6. */
    static String network(InetAddress host) {
        long high = AddressBits.high(host);
        long low = AddressBits.low(host);
        return AddressBits.isV4(high, low)
                ? AddressBits.address(high, low & ~0xffL).getHostAddress() + "/24"
                : AddressBits.address(high & ~0xffffL, 0).getHostAddress() + "/48";
    }
}
