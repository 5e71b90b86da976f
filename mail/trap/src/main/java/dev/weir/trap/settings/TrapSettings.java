package dev.weir.trap.settings;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import dev.weir.http.tls.TlsFiles;

/**
 * The section {@code worker "trap"}.
 *
 * @param smtp the addresses that speak SMTP
 * @param lmtp the addresses that speak LMTP
 * @param tls the certificate for STARTTLS; empty if it is not offered
 * @param mailBytes the largest mail that is accepted
 * @param connections the greatest number of connections to each address
 * @param idle how long a connection may wait for its client
 * @param poll the time between two reads of the folders
 * @param sources where mails of traps come from
 * @param policy which mails are learned
 * @param complaints complaints of users; empty if none are taken
 * @param wanted wanted mail; empty if none is taken
 */
public record TrapSettings(List<InetSocketAddress> smtp, List<InetSocketAddress> lmtp, Optional<TlsFiles> tls,
        int mailBytes, int connections, Duration idle, Duration poll, TrapSources sources, TrapPolicy policy,
        Optional<ComplaintSettings> complaints, Optional<WantedSettings> wanted) {
    /** The port that an address without one has. */
    public static final int DEFAULT_PORT = 2525;

    /** Copies the lists. */
    public TrapSettings {
        smtp = List.copyOf(smtp);
        lmtp = List.copyOf(lmtp);
    }

    /** Returns a copy that listens as others do, with their certificate. */
    public TrapSettings listeningAs(TrapSettings others) {
        return new TrapSettings(others.smtp, others.lmtp, others.tls, mailBytes, connections, idle, poll, sources,
                policy, complaints, wanted);
    }
}
