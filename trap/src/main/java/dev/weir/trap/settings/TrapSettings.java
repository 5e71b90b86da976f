package dev.weir.trap.settings;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * The settings of traps.
 *
 * @param smtp the addresses that speak SMTP
 * @param lmtp the addresses that speak LMTP
 * @param sources where mails of traps come from
 * @param policy which mails are learned
 * @param limits limits of mails and connections
 * @param complaints complaints of users; empty if none are taken
 * @param wanted wanted mail; empty if none is taken
 */
public record TrapSettings(List<InetSocketAddress> smtp, List<InetSocketAddress> lmtp, TrapSources sources,
        TrapPolicy policy, TrapLimits limits, Optional<ComplaintSettings> complaints,
        Optional<WantedSettings> wanted) {
    /** The port that an address without one has. */
    public static final int DEFAULT_PORT = 2525;

    /** No door and no trap. */
    public static final TrapSettings NONE = new TrapSettings(List.of(), List.of(), TrapSources.NONE,
            TrapPolicy.DEFAULT, TrapLimits.DEFAULT, Optional.empty(), Optional.empty());

    /** Copies the lists. */
    public TrapSettings {
        smtp = List.copyOf(smtp);
        lmtp = List.copyOf(lmtp);
    }

    /** Returns a copy with other doors. */
    public TrapSettings withDoors(List<InetSocketAddress> ofSmtp, List<InetSocketAddress> ofLmtp) {
        return new TrapSettings(ofSmtp, ofLmtp, sources, policy, limits, complaints, wanted);
    }

    /** Returns a copy with other sources of trap mail. */
    public TrapSettings withSources(TrapSources others) {
        return new TrapSettings(smtp, lmtp, others, policy, limits, complaints, wanted);
    }

    /** Returns a copy with another policy. */
    public TrapSettings withPolicy(TrapPolicy other) {
        return new TrapSettings(smtp, lmtp, sources, other, limits, complaints, wanted);
    }

    /** Returns a copy with other limits. */
    public TrapSettings withLimits(TrapLimits others) {
        return new TrapSettings(smtp, lmtp, sources, policy, others, complaints, wanted);
    }

    /** Returns a copy that takes complaints. */
    public TrapSettings withComplaints(Optional<ComplaintSettings> others) {
        return new TrapSettings(smtp, lmtp, sources, policy, limits, others, wanted);
    }

    /** Returns a copy that takes wanted mail. */
    public TrapSettings withWanted(Optional<WantedSettings> others) {
        return new TrapSettings(smtp, lmtp, sources, policy, limits, complaints, others);
    }
}
