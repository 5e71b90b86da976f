package dev.weir.trap.settings;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * The settings of traps.
 *
 * @param smtp the addresses that speak SMTP
 * @param lmtp the addresses that speak LMTP
 * @param maildirs Maildir folders to read
 * @param mboxes mbox files to read
 * @param traps the trap addresses and domains
 * @param policy which mails are learned
 * @param limits limits of mails and connections
 */
public record TrapSettings(List<InetSocketAddress> smtp, List<InetSocketAddress> lmtp, List<Path> maildirs,
        List<Path> mboxes, TrapAddresses traps, TrapPolicy policy, TrapLimits limits) {
    /** The port that an address without one has. */
    public static final int DEFAULT_PORT = 2525;

    /** No door and no trap. */
    public static final TrapSettings NONE = new TrapSettings(List.of(), List.of(), List.of(), List.of(),
            TrapAddresses.NONE, TrapPolicy.DEFAULT, TrapLimits.DEFAULT);

    /** Copies the lists. */
    public TrapSettings {
        smtp = List.copyOf(smtp);
        lmtp = List.copyOf(lmtp);
        maildirs = List.copyOf(maildirs);
        mboxes = List.copyOf(mboxes);
    }

    /** Returns a copy with other doors. */
    public TrapSettings withDoors(List<InetSocketAddress> ofSmtp, List<InetSocketAddress> ofLmtp) {
        return new TrapSettings(ofSmtp, ofLmtp, maildirs, mboxes, traps, policy, limits);
    }

    /** Returns a copy with other folders. */
    public TrapSettings withFolders(List<Path> ofMaildir, List<Path> ofMbox) {
        return new TrapSettings(smtp, lmtp, ofMaildir, ofMbox, traps, policy, limits);
    }

    /** Returns a copy with other traps. */
    public TrapSettings withTraps(TrapAddresses others) {
        return new TrapSettings(smtp, lmtp, maildirs, mboxes, others, policy, limits);
    }

    /** Returns a copy with another policy. */
    public TrapSettings withPolicy(TrapPolicy other) {
        return new TrapSettings(smtp, lmtp, maildirs, mboxes, traps, other, limits);
    }

    /** Returns a copy with other limits. */
    public TrapSettings withLimits(TrapLimits others) {
        return new TrapSettings(smtp, lmtp, maildirs, mboxes, traps, policy, others);
    }
}
