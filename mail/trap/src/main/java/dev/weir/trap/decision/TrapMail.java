package dev.weir.trap.decision;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

import dev.weir.trap.campaign.Purpose;

/**
 * A mail that arrived.
 *
 * @param way how it came
 * @param purpose what it is taken for
 * @param bytes the mail
 * @param trap who received it: an address, a domain with a leading {@code @}, a folder, or {@code http}
 * @param client the client that delivered it; empty for mails in folders and by HTTP
 * @param sender the envelope sender, empty for a bounce, or the user that HTTP names; absent if it is not known
 * @param recipients the envelope recipients
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TrapMail(Way way, Purpose purpose, byte[] bytes, String trap, Optional<InetAddress> client,
        Optional<String> sender, List<String> recipients) {
    /** How a mail comes. */
    public enum Way {
        /** By SMTP or LMTP. */
        DELIVERED,
        /** From a folder. */
        FOLDER,
        /** By HTTP. */
        HTTP,
        /** By HTTP, from a program that says that it is a report about the mails attached to it. */
        HTTP_REPORT
    }

    /** Copies the list. */
    public TrapMail {
        recipients = List.copyOf(recipients);
    }

    /** Returns whether it came as a mail, not as a file. */
    boolean wasDelivered() {
        return way == Way.DELIVERED;
    }
}
