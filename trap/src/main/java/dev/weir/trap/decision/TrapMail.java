package dev.weir.trap.decision;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

import dev.weir.trap.campaign.Purpose;

/**
 * A mail that arrived.
 *
 * @param purpose what it is taken for
 * @param bytes the mail
 * @param trap who received it: an address, a domain with a leading {@code @}, a folder, or {@code http}
 * @param client the client that delivered it; empty for mails in folders and by HTTP
 * @param sender the envelope sender, empty for a bounce; absent if it is not known
 * @param recipients the envelope recipients
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TrapMail(Purpose purpose, byte[] bytes, String trap, Optional<InetAddress> client,
        Optional<String> sender, List<String> recipients) {
    /** Copies the list. */
    public TrapMail {
        recipients = List.copyOf(recipients);
    }

    /** Returns whether it came as a mail, not as a file. */
    boolean wasDelivered() {
        return client.isPresent();
    }
}
