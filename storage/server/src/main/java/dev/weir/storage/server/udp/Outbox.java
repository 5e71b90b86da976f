package dev.weir.storage.server.udp;

import dev.weir.net.Packets;
import dev.weir.net.UdpSocket;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.ThreadCounters;

/** A queue of replies that a socket sends in batches. For one thread. */
final class Outbox {
    private final UdpSocket socket;
    private final Packets packets;
    private final ThreadCounters tally;
    private int waiting;

    Outbox(UdpSocket socket, int capacity, ThreadCounters tally) {
        this.socket = socket;
        this.packets = new Packets(capacity, DatagramHandler.MAX_REPLY);
        this.tally = tally;
    }

    /** Adds a reply to a received packet. */
    void add(byte[] reply, int length, Packets received, int from) {
        makeRoom();
        packets.put(waiting++, reply, 0, length, received, from);
    }

    /** Adds a reply to an address. */
    void add(byte[] reply, int length, byte[] address) {
        makeRoom();
        packets.put(waiting++, reply, 0, length, address);
    }

    private void makeRoom() {
        if (waiting == packets.capacity()) {
            flush();
        }
    }

    /** Sends the queued replies. */
    void flush() {
        if (waiting > 0) {
            // Replies to one client are often adjacent, as when it sends all commands of a mail at once.
            int sent = socket.sendTogether(packets, waiting);
            tally.add(Counter.ANSWERED, sent);
            // On a full buffer, a firewall, or a network failure, the client retries.
            tally.add(Counter.SEND_FAILED, waiting - sent);
            waiting = 0;
        }
    }
}
