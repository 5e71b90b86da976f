package dev.weir.storage.waves;

import dev.weir.model.AddressBits;
import dev.weir.model.KeyedHash;
import dev.weir.storage.access.gate.KeyAccess;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.index.Lookup;
import dev.weir.wire.command.Command;
import org.jspecify.annotations.Nullable;

/**
 * The part of {@link Waves} for one receiving thread: it notes checks without a hit, and looks whether one belongs to a
 * group that answers. It neither allocates nor locks.
 */
public final class MissRecorder {
    private static final int V4_BITS = 24;
    private static final int V6_BITS = 48;

    private final MissRing ring = new MissRing();
    private final AnsweringWaves answers;
    private final KeyedHash keyed;
    private final DomainHash domains;
    private volatile ExemptSenders exempt;

    MissRecorder(AnsweringWaves answers, KeyedHash keyed, ExemptSenders exempt) {
        this.answers = answers;
        this.keyed = keyed;
        this.domains = new DomainHash(keyed);
        this.exempt = exempt;
    }

    void exempt(ExemptSenders senders) {
        exempt = senders;
    }

    MissRing ring() {
        return ring;
    }

    /** Looks for a group that answers. Returns whether {@link Lookup#match} holds its answer. */
    public boolean find(Lookup lookup) {
        return answers.find(lookup);
    }

    /**
     * Notes a check without a hit.
     *
     * @param access the rules of the key of the request; null for a plain one
     */
    public void missed(Lookup lookup, Command command, Source source, @Nullable KeyAccess access) {
        long high = source.high();
        long low = source.low();
        boolean v4 = AddressBits.isV4(high, low);
        int network = part(v4
                ? keyed.hash(0, low >>> (Integer.SIZE - V4_BITS))
                : keyed.hash(high >>> (Long.SIZE - V6_BITS), -1));
        // A customer may have many servers, and many customers may come from one address.
        int client = part(access != null && access.isNamed()
                ? keyed.hash(access.publicKey().wireId(), 1)
                : keyed.hash(high, low));
        int sender = command.hasSenderIp() ? part(keyed.hash(command.senderHigh(), command.senderLow())) : 0;
        int domain = command.hasDomain()
                ? part(domains.of(command.bytes(), command.domainOffset(),
                        command.domainOffset() + command.domainLength()))
                : 0;
        ring.put(lookup.digest(), lookup.shingles(), lookup.hasShingles(), command.askedThreshold(), client, network,
                sender, domain,
                exempt.contains(command, domains));
    }

    /** Returns 32 bits of a hash, never 0, which means that there is no value. */
    private static int part(long hash) {
        int part = (int) (hash >>> Integer.SIZE);
        return part == 0 ? 1 : part;
    }
}
