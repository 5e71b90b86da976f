package dev.weir.storage.server.udp;

import dev.weir.net.Packets;
import dev.weir.net.UdpSocket;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Tally;

/** Replies on their way to a socket, which leave many at a time. For one thread. */
final class Outbox {
    private final UdpSocket socket;
    private final Packets packets;
    private final Tally tally;
    private int waiting;

    Outbox(UdpSocket socket, int capacity, Tally tally) {
        this.socket = socket;
        this.packets = new Packets(capacity, DatagramHandler.MAX_REPLY);
        this.tally = tally;
    }

    /** Adds a reply to a packet that was received. */
    void add(byte[] reply, int length, Packets received, int from) {
        makeRoom();
        packets.put(waiting++, reply, 0, length, received, from);
    }

    /** Adds a reply to where a packet came from. */
    void add(byte[] reply, int length, byte[] address) {
        makeRoom();
        packets.put(waiting++, reply, 0, length, address);
    }

    private void makeRoom() {
        if (waiting == packets.capacity()) {
            flush();
        }
    }

    /** Sends what there is. */
    void flush() {
        if (waiting > 0) {
            // Clients that send several commands at once, such as all of one mail, have their replies side by side.
            int sent = socket.sendTogether(packets, waiting);
            tally.add(Counter.ANSWERED, sent);
            // A full buffer, a firewall, a network that is down: the client asks again.
            tally.add(Counter.SEND_FAILED, waiting - sent);
            waiting = 0;
        }
    }
}
