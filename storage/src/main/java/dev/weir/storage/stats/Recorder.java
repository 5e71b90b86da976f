package dev.weir.storage.stats;

import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.model.KeyedHash;
import dev.weir.wire.Epoch;
import dev.weir.wire.command.CommandCode;

/** What one thread counts. Allocates only when it meets a key or a flag for the first time, or many addresses. */
// Places in an array that lives as long as the process: nothing else depends on the order of the epochs.
@SuppressWarnings("EnumOrdinal")
public final class Recorder {
    private static final int CHECKED = 0;
    private static final int SHINGLES = 1;
    private static final int FOUND = 2;
    private static final int FIELDS = 3;

    private final int number;
    private final Cells generations = new Cells(Epoch.values().length * FIELDS);
    private final AddressTable invalid;

    Recorder(int number, KeyedHash keyed, AtomicInteger budget) {
        this.number = number;
        this.invalid = new AddressTable(keyed, budget);
    }

    /**
     * A reply that is sent.
     *
     * @param who the key of the request, or those without one
     * @param high first half of the client's address, as {@link dev.weir.model.AddressBits} has it
     * @param low second half
     * @param epoch of the request
     * @param code of the command
     * @param shingles whether the request had any
     * @param flag of the reply
     * @param value of the reply
     * @param probability of the reply
     */
    public void reply(ClientStatistics who, long high, long low, Epoch epoch, int code, boolean shingles, int flag,
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
        // Something was done although its flag is hidden: that counts too.
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

    /** A datagram that was no request. */
    public void invalid(long high, long low) {
        invalid.increment(high, low, Counts.ERRORS);
    }

    GenerationCounts generation(Epoch epoch) {
        int at = epoch.ordinal() * FIELDS;
        return new GenerationCounts(generations.get(at + CHECKED), generations.get(at + SHINGLES),
                generations.get(at + FOUND));
    }

    AddressTable invalidAddresses() {
        return invalid;
    }
}
