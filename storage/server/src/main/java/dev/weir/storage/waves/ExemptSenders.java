package dev.weir.storage.waves;

import java.util.Arrays;

import dev.weir.model.KeyedHash;
import dev.weir.model.Networks;
import dev.weir.wire.command.Command;

/**
 * The senders whose mail is never a wave: hosts by network, and domains if the request states that DMARC passed,
 * because anyone can write a domain into {@code From}. A domain includes its subdomains. A test neither allocates nor
 * locks.
 */
final class ExemptSenders {
    private final Networks networks;
    private final long[] domains;

    /**
     * Prepares the senders.
     *
     * @param keyed the hash that {@link DomainHash} of a test uses, too
     */
    ExemptSenders(WaveSettings.Exclusions exclusions, KeyedHash keyed) {
        this.networks = exclusions.networks();
        DomainHash hash = new DomainHash(keyed);
        this.domains = exclusions.domains().stream().mapToLong(hash::of).sorted().toArray();
    }

    boolean contains(Command command, DomainHash hash) {
        if (command.hasSenderIp() && networks.contains(command.senderHigh(), command.senderLow())) {
            return true;
        }
        if (domains.length == 0 || !command.hasDomain() || !command.statesDmarcPass()) {
            return false;
        }
        byte[] bytes = command.bytes();
        int end = command.domainOffset() + command.domainLength();
        for (int at = command.domainOffset(); at < end; at++) {
            boolean begins = at == command.domainOffset() || bytes[at - 1] == '.';
            if (begins && Arrays.binarySearch(domains, hash.of(bytes, at, end)) >= 0) {
                return true;
            }
        }
        return false;
    }
}
