package dev.weir.storage.push;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

import dev.weir.model.Digest;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.reply.Reply;

/**
 * Asks a storage whether it has a hash, as every client may. Rspamd's slave answers 200 also if it refused a batch; its
 * checks do not lie.
 */
final class SlaveProbe {
    private static final int VERSION = 4;
    private static final int TRIES = 2;
    private static final int PATIENCE_MILLIS = 500;

    private SlaveProbe() {}

    /** Returns whether the storage at a place has a hash; empty if it does not say. */
    static Optional<Boolean> has(PushSettings.Host host, Digest digest) {
        byte[] request = new byte[Protocol.COMMAND];
        int tag = ThreadLocalRandom.current().nextInt();
        new CommandWriter().begin(request, 0, VERSION, CommandCode.CHECK).tag(tag).digest(digest.toBytes(), 0).end();
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(host.name(), host.port()));
            socket.setSoTimeout(PATIENCE_MILLIS);
            for (int i = 0; i < TRIES; i++) {
                socket.send(new DatagramPacket(request, request.length));
                Optional<Reply> reply = receive(socket, tag);
                if (reply.isPresent()) {
                    // A refusal says nothing about the hash.
                    return reply.get().isMatch()
                            ? Optional.of(true)
                            : reply.get().value() == 0 ? Optional.of(false) : Optional.empty();
                }
            }
        } catch (IOException | UnresolvedAddressException e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    private static Optional<Reply> receive(DatagramSocket socket, int tag) throws IOException {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        long until = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
        while (System.nanoTime() - until < 0) {
            DatagramPacket packet = new DatagramPacket(bytes, bytes.length);
            try {
                socket.receive(packet);
            } catch (SocketTimeoutException e) {
                return Optional.empty();
            }
            Optional<Reply> reply = Reply.decode(bytes, 0, packet.getLength()).filter(found -> found.tag() == tag);
            if (reply.isPresent()) {
                return reply;
            }
        }
        return Optional.empty();
    }
}
