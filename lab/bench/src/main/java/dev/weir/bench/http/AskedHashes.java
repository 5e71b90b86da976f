package dev.weir.bench.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.HexFormat;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;

import dev.weir.model.failure.Reason;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Parse;

/**
 * An empty storage that records the digests it is asked for. It shows the hashes that any scanner computes for a
 * mail.
 */
public final class AskedHashes implements AutoCloseable {
    private static final int TAG_OF_REPLY = 8;

    private final DatagramChannel channel;
    private final int port;
    private final Set<String> asked = new ConcurrentSkipListSet<>();

    private AskedHashes(DatagramChannel channel, int port) {
        this.channel = channel;
        this.port = port;
    }

    /** Listens on a free loopback UDP port. */
    public static AskedHashes open() throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        try {
            channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            AskedHashes storage = new AskedHashes(channel,
                    ((InetSocketAddress) channel.getLocalAddress()).getPort());
            Thread.ofPlatform().name("asked-hashes").daemon().start(storage::run);
            return storage;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Returns the address of the server. */
    public int port() {
        return port;
    }

    /**
     * Returns the digests, in hexadecimal, that a scanner of this storage asks for when the load is sent once.
     */
    public Set<String> of(ScanLoad load) throws IOException {
        asked.clear();
        load.each();
        return new TreeSet<>(asked);
    }

    private void run() {
        byte[] bytes = new byte[Protocol.MAX_DATAGRAM];
        ByteBuffer in = ByteBuffer.wrap(bytes);
        ByteBuffer out = ByteBuffer.allocate(ReplyLayout.LONG.size()).order(ByteOrder.LITTLE_ENDIAN);
        Command command = new Command();
        byte[] digest = new byte[Protocol.DIGEST];
        try {
            while (true) {
                SocketAddress from = channel.receive(in.clear());
                if (command.wrap(bytes, 0, in.position()) != Parse.OK) {
                    continue;
                }
                if (command.code() == CommandCode.CHECK) {
                    command.copyDigest(digest, 0);
                    asked.add(HexFormat.of().formatHex(digest));
                }
                channel.send(out.clear().putInt(TAG_OF_REPLY, command.tag()), from);
            }
        } catch (ClosedChannelException finished) {
            // close() ends the loop this way.
        } catch (IOException e) {
            System.err.println("bench: the storage that remembers ended: " + Reason.of(e));
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
