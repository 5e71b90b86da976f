package dev.weir.scan.lua;

import java.util.ArrayList;
import java.util.List;

import dev.weir.lua.task.TaskView.Address;
import org.apache.james.mime4j.dom.address.Mailbox;
import org.apache.james.mime4j.field.address.LenientAddressParser;

/** The parser of addresses in headers and envelopes. */
final class Addresses {
    /** The maximum number of addresses in one header. */
    private static final int MOST = 1000;
    private static final int LONGEST = 256 * 1024;

    private Addresses() {}

    /** Returns all mailboxes in an unfolded, undecoded header value. Expands groups. */
    static List<Address> inHeader(String value) {
        List<Address> found = new ArrayList<>();
        String text = value.length() > LONGEST ? value.substring(0, LONGEST) : value;
        for (Mailbox mailbox : LenientAddressParser.DEFAULT.parseAddressList(text).flatten()) {
            if (found.size() >= MOST) {
                break;
            }
            String user = mailbox.getLocalPart() == null ? "" : mailbox.getLocalPart();
            String domain = mailbox.getDomain() == null ? "" : mailbox.getDomain();
            String address = domain.isEmpty() ? user : user + "@" + domain;
            if (!address.isEmpty()) {
                boolean braced = text.contains("<" + address + ">");
                found.add(new Address(address, user, domain, mailbox.getName() == null ? "" : mailbox.getName(),
                        braced ? "<" + address + ">" : address));
            }
        }
        return found;
    }

    /** Returns the single address of an envelope. Null and {@code <>} are not addresses. */
    static List<Address> ofEnvelope(@org.jspecify.annotations.Nullable String given) {
        if (given == null) {
            return List.of();
        }
        String address = given.strip();
        if (address.startsWith("<") && address.endsWith(">")) {
            address = address.substring(1, address.length() - 1);
        }
        if (address.isEmpty()) {
            return List.of();
        }
        int at = address.lastIndexOf('@');
        return List.of(new Address(address, at < 0 ? address : address.substring(0, at),
                at < 0 ? "" : address.substring(at + 1), "", given.strip()));
    }
}
