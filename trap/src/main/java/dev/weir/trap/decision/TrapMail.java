package dev.weir.trap.decision;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * A mail that a trap received.
 *
 * @param bytes the mail
 * @param trap the trap: an address, a domain with a leading {@code @}, or a folder
 * @param client the client that delivered it; empty for mails in folders
 * @param sender the envelope sender, empty for a bounce; absent if it is not known
 * @param recipients the envelope recipients
 */
public record TrapMail(byte[] bytes, String trap, Optional<InetAddress> client, Optional<String> sender,
        List<String> recipients) {
    /** Copies the list. */
    public TrapMail {
        recipients = List.copyOf(recipients);
    }
}
