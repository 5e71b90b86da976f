package dev.weir.storage.server;

import dev.weir.net.Packets;
import dev.weir.storage.Digest;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.wire.Box;
import dev.weir.wire.Carrier;
import dev.weir.wire.Command;
import dev.weir.wire.CommandCode;
import dev.weir.wire.Generation;
import dev.weir.wire.Parse;
import dev.weir.wire.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * Answers the plain checks of a batch of datagrams together before the first one is handled, so that their ways to the
 * memory overlap. What the rules then refuse was looked up in vain; nothing else differs. Makes no objects.
 */
final class Foresight {
    private final Command command = new Command(Generation.all());
    private final byte[] datagram = new byte[Protocol.MAX_DATAGRAM];
    private final Lookup[] lookups = new Lookup[Receiver.BATCH];
    private final @Nullable Lookup[] byPacket = new Lookup[Receiver.BATCH];
    private int packets;
    private int next;

    Foresight() {
        for (int i = 0; i < lookups.length; i++) {
            lookups[i] = new Lookup();
        }
    }

    /** Looks up what the first {@code count} packets ask for; they are to be handled next, in their order. */
    void look(HashIndex index, Packets in, int count, long oldest) {
        packets = Math.min(count, byPacket.length);
        next = 0;
        int checks = 0;
        for (int i = 0; i < packets; i++) {
            int length = in.copyTo(i, datagram);
            boolean check = !Box.isRequest(datagram, 0, length)
                    && command.wrap(datagram, 0, length, Carrier.DATAGRAM) == Parse.OK
                    && command.code() == CommandCode.CHECK;
            byPacket[i] = check ? fill(lookups[checks++]) : null;
        }
        index.find(lookups, checks, oldest);
    }

    private Lookup fill(Lookup lookup) {
        ask(command, lookup);
        return lookup;
    }

    /** Puts what a check asks for into a lookup. */
    static void ask(Command check, Lookup lookup) {
        Digest.readWords(check.bytes(), check.digestOffset(), lookup.digest());
        lookup.hasShingles(check.hasShingles());
        if (check.hasShingles()) {
            check.copyShingles(lookup.shingles(), 0);
        }
    }

    /** Nothing was looked up. */
    void forget() {
        packets = 0;
    }

    /** The answer for the packet that is handled now, or null if it was not looked up. */
    @Nullable
    Lookup next() {
        return next < packets ? byPacket[next++] : null;
    }
}
