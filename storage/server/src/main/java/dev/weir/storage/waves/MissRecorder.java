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
    private volatile Hashing hashing;

    MissRecorder(AnsweringWaves answers, KeyedHash keyed, ExemptSenders exempt) {
        this.answers = answers;
        this.hashing = Hashing.of(keyed, exempt);
    }

    /**
     * What changes at once: a domain must be hashed as those of the exempt senders are.
     *
     * @param factor spreads networks over shares by multiplication: most checks are left out under load, and those need
     *         no better hash
     */
    private record Hashing(KeyedHash keyed, long factor, DomainHash domains, ExemptSenders exempt) {
        static Hashing of(KeyedHash keyed, ExemptSenders exempt) {
            return new Hashing(keyed, keyed.hash(0, 0) | 1, new DomainHash(keyed), exempt);
        }
    }

    /** Replaces the key and the exempt senders. */
    void use(KeyedHash keyed, ExemptSenders exempt) {
        hashing = Hashing.of(keyed, exempt);
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
        Hashing now = hashing;
        KeyedHash keyed = now.keyed();
        long high = source.high();
        long low = source.low();
        boolean v4 = AddressBits.isV4(high, low);
        long prefix = v4 ? low >>> (Integer.SIZE - V4_BITS) : high >>> (Long.SIZE - V6_BITS);
        int share = (int) ((prefix * now.factor()) >>> (Long.SIZE - MissRing.SHARE_BITS));
        int at = ring.claim(share);
        if (at < 0) {
            return;
        }
        int network = part(v4 ? keyed.hash(0, prefix) : keyed.hash(prefix, -1));
        // A customer may have many servers, and many customers may come from one address.
        int client = part(access != null && access.isNamed()
                ? keyed.hash(access.publicKey().wireId(), 1)
                : keyed.hash(high, low));
        int sender = command.hasSenderIp() ? part(keyed.hash(command.senderHigh(), command.senderLow())) : 0;
        int domain = command.hasDomain()
                ? part(now.domains().of(command.bytes(), command.domainOffset(),
                        command.domainOffset() + command.domainLength()))
                : 0;
        ring.put(at, lookup.digest(), lookup.shingles(), lookup.hasShingles(), command.askedThreshold(), client,
                network, sender, domain, now.exempt().contains(command, now.domains()));
    }

    /** Returns 32 bits of a hash, never 0, which means that there is no value. */
    private static int part(long hash) {
        int part = (int) (hash >>> Integer.SIZE);
        return part == 0 ? 1 : part;
    }
}
