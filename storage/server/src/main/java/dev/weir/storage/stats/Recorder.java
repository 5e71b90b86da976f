package dev.weir.storage.stats;

import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.KeyedHash;
import dev.weir.wire.ProtocolVersion;
import dev.weir.wire.command.CommandCode;

/** The counters of one thread. Allocates only for new keys, new flags, and growing numbers of addresses. */
// Ordinals index an in-memory array; nothing else depends on the order of the epochs.
@SuppressWarnings("EnumOrdinal")
public final class Recorder {
    private static final int CHECKED = 0;
    private static final int SHINGLES = 1;
    private static final int FOUND = 2;
    private static final int FIELDS = 3;

    private final int number;
    private final Cells generations = new Cells(ProtocolVersion.values().length * FIELDS);
    private final AddressTable invalid;

    Recorder(int number, KeyedHash keyed, AtomicInteger budget) {
        this.number = number;
        this.invalid = new AddressTable(keyed, budget);
    }

    /**
     * Records a reply.
     *
     * @param who the statistics of the request's key, or those for requests without a key
     * @param high the first half of the client's address, as in {@link dev.weir.model.AddressBits}
     * @param low the second half of the address
     * @param epoch the protocol epoch of the request
     * @param code the command code
     * @param shingles whether the request had shingles
     * @param flag the flag in the reply
     * @param value the value in the reply
     * @param probability the probability in the reply
     */
    public void reply(ClientStatistics who, long high, long low, ProtocolVersion epoch, int code, boolean shingles,
            int flag,
            int value, float probability) {
        if (code == CommandCode.STAT || code > CommandCode.PING) {
            return;
        }
        boolean good = probability > 0.5f;
        int at = epoch.ordinal() * FIELDS;
        generations.increment(at + CHECKED);
        if (shingles) {
            generations.increment(at + SHINGLES);
        }
        if (good) {
            generations.increment(at + FOUND);
        }
        ClientStatistics.Share share = who.share(number);
        if (!good && value != 0) {
            share.total.increment(Counts.ERRORS);
            share.addresses.increment(high, low, Counts.ERRORS);
            return;
        }
        int field = field(code);
        share.addresses.increment(high, low, field);
        if (field < 0) {
            return;
        }
        share.total.increment(field);
        boolean matched = good && code == CommandCode.CHECK;
        if (matched) {
            share.total.increment(Counts.MATCHED);
            share.addresses.increment(high, low, Counts.MATCHED);
        }
        // An update counts even if its flag is hidden in the reply.
        if (good || code != CommandCode.CHECK) {
            share.flags.increment(flag, field);
            if (matched) {
                share.flags.increment(flag, Counts.MATCHED);
            }
        }
    }

    private static int field(int code) {
        return switch (code) {
            case CommandCode.CHECK -> Counts.CHECKED;
            case CommandCode.WRITE -> Counts.ADDED;
            case CommandCode.DEL -> Counts.DELETED;
            default -> -1;
        };
    }

    /** Records a malformed datagram. */
    public void invalid(long high, long low) {
        invalid.increment(high, low, Counts.ERRORS);
    }

    GenerationCounts generation(ProtocolVersion epoch) {
        int at = epoch.ordinal() * FIELDS;
        return new GenerationCounts(generations.get(at + CHECKED), generations.get(at + SHINGLES),
                generations.get(at + FOUND));
    }

    AddressTable invalidAddresses() {
        return invalid;
    }
}
