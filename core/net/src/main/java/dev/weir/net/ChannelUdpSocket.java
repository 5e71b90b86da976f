package dev.weir.net;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

/** A portable socket with one system call for each datagram. It allocates an address for each datagram. */
final class ChannelUdpSocket implements UdpSocket {
    private static final long WAIT_MILLIS = TimeUnit.SECONDS.toMillis(1);

    private final DatagramChannel channel;
    private final Selector selector;
    private final InetSocketAddress local;
    private volatile boolean woken;

    private ChannelUdpSocket(DatagramChannel channel, Selector selector) throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.local = (InetSocketAddress) channel.getLocalAddress();
    }

    static ChannelUdpSocket bind(InetSocketAddress local, UdpOptions options) throws IOException {
        return open(local, options, false);
    }

    static ChannelUdpSocket connect(InetSocketAddress remote, UdpOptions options) throws IOException {
        return open(remote, options, true);
    }

    private static ChannelUdpSocket open(InetSocketAddress address, UdpOptions options, boolean connect)
            throws IOException {
        DatagramChannel channel = DatagramChannel.open(address.getAddress() instanceof Inet4Address
                ? StandardProtocolFamily.INET
                : StandardProtocolFamily.INET6);
        Selector selector = null;
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, options.receiveBuffer());
            channel.setOption(StandardSocketOptions.SO_SNDBUF, options.sendBuffer());
            if (connect) {
                channel.connect(address);
            } else {
                channel.bind(address);
            }
            selector = Selector.open();
            channel.configureBlocking(false).register(selector, SelectionKey.OP_READ);
            return new ChannelUdpSocket(channel, selector);
        } catch (Throwable e) {
            channel.close();
            if (selector != null) {
                selector.close();
            }
            throw e;
        }
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public int receive(Packets target) throws IOException {
        int count = poll(target);
        if (count == 0 && !woken) {
            selector.select(key -> {}, WAIT_MILLIS);
            count = woken ? 0 : poll(target);
        }
        return count;
    }

    @Override
    public int poll(Packets target) throws IOException {
        for (int i = 0; i < target.capacity(); i++) {
            ByteBuffer bytes = target.bytes(i).asByteBuffer();
            SocketAddress from = channel.receive(bytes);
            if (from == null) {
                return i;
            }
            target.received(i, bytes.position(), SocketAddresses.encode((InetSocketAddress) from));
        }
        return target.capacity();
    }

    @Override
    public int send(Packets packets, int count) {
        int sent = 0;
        for (int i = 0; i < count; i++) {
            sent += sendOne(packets, i) ? 1 : 0;
        }
        return sent;
    }

    private boolean sendOne(Packets packets, int i) {
        ByteBuffer bytes = packets.bytes(i).asByteBuffer().limit(packets.outgoing(i));
        try {
            return (packets.hasAddress(i)
                    ? channel.send(bytes, SocketAddresses.decode(packets.keepAddress(i)))
                    : channel.write(bytes)) > 0;
        } catch (IOException e) {
            // This datagram is lost, but later ones may have other addresses.
            return false;
        }
    }

    @Override
    public int sendTogether(Packets packets, int count) {
        return send(packets, count);
    }

    @Override
    public void wake() {
        woken = true;
        selector.wakeup();
    }

    @Override
    public void close() {
        try (channel; selector) {
            woken = true;
        } catch (IOException e) {
            // No data was left to write, and the system releases the descriptor even after an error.
            return;
        }
    }
}
