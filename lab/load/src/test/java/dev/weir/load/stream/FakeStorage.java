package dev.weir.load.stream;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

import dev.weir.load.population.Population;
import dev.weir.net.Packets;
import dev.weir.net.UdpOptions;
import dev.weir.net.UdpSocket;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.Opened;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Parse;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.ServerKeys;

/**
 * A storage in memory that compares a query with every hash. The test determines what happens to its answers before
 * they are sent. One thread serves.
 */
final class FakeStorage implements AutoCloseable {
    private static final UdpOptions OPTIONS = new UdpOptions(4 << 20, 4 << 20, false);

    private static final class Stored {
        private final byte[] digest;
        private final long[] shingles;
        private final int flag;
        private final int value;

        Stored(byte[] digest, long[] shingles, int flag, int value) {
            this.digest = digest;
            this.shingles = shingles;
            this.flag = flag;
            this.value = value;
        }
    }

    private final Map<ByteBuffer, Stored> hashes = new HashMap<>();
    private final ServerKeys keys;
    private final Box box = new Box(new SecureRandom());
    private final Command command = new Command();
    private final UnaryOperator<List<byte[]>> network;
    private final UdpSocket socket;
    private final ServerSocket stream;
    private final Thread datagrams = Thread.ofPlatform().name("fake-udp").unstarted(this::serveDatagrams);
    private final Thread frames = Thread.ofPlatform().name("fake-tcp").unstarted(this::serveFrames);
    private final AtomicInteger boxesRefused = new AtomicInteger();
    private volatile boolean stopping;

    /**
     * Creates a storage.
     *
     * @param network maps the answer to one request to the datagrams that are sent
     */
    FakeStorage(Population population, KeyPair key, UnaryOperator<List<byte[]>> network) throws IOException {
        this.keys = ServerKeys.of(List.of(key));
        this.network = network;
        long[] shingles = new long[Protocol.SHINGLES];
        for (long n = 0; n < population.size(); n++) {
            byte[] digest = new byte[Protocol.DIGEST];
            population.digest(n, digest, 0);
            population.shingles(n, shingles);
            store(new Stored(digest, shingles.clone(), population.flag(n), population.value(n)));
        }
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        socket = UdpSocket.bind(any, OPTIONS);
        stream = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
        datagrams.start();
        frames.start();
    }

    private void store(Stored hash) {
        hashes.put(ByteBuffer.wrap(hash.digest), hash);
    }

    InetSocketAddress udp() {
        return socket.local();
    }

    InetSocketAddress tcp() {
        return (InetSocketAddress) stream.getLocalSocketAddress();
    }

    /** Returns the number of encrypted requests with a wrong authenticator. */
    int boxesRefused() {
        return boxesRefused.get();
    }

    synchronized int size() {
        return hashes.size();
    }

    synchronized Optional<Integer> value(byte[] digest) {
        return Optional.ofNullable(hashes.get(ByteBuffer.wrap(digest))).map(stored -> stored.value);
    }

    private void serveDatagrams() {
        Packets in = new Packets(64, Protocol.MAX_DATAGRAM);
        Packets out = new Packets(1, 256);
        byte[] request = new byte[Protocol.MAX_DATAGRAM];
        try {
            while (!stopping) {
                int count = socket.receive(in);
                for (int i = 0; i < count; i++) {
                    int length = in.copyTo(i, request);
                    for (byte[] reply : network.apply(answer(request, length))) {
                        out.put(0, reply, 0, reply.length, in, i);
                        socket.send(out, 1);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void serveFrames() {
        while (!stopping) {
            try (Socket client = stream.accept()) {
                DataInputStream in = new DataInputStream(client.getInputStream());
                OutputStream out = client.getOutputStream();
                byte[] request = new byte[Protocol.MAX_FRAME];
                while (true) {
                    int length = Short.reverseBytes(in.readShort()) & 0xffff;
                    in.readFully(request, 0, length);
                    for (byte[] reply : network.apply(answer(request, length))) {
                        out.write(new byte[]{(byte) reply.length, (byte) (reply.length >> 8)});
                        out.write(reply);
                    }
                }
            } catch (SocketException | EOFException e) {
                // The client has closed, or the test is over.
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private synchronized List<byte[]> answer(byte[] request, int length) {
        boolean sealed = Box.isRequest(request, 0, length);
        if (sealed && box.open(keys, request, 0, length) != Opened.OK) {
            boxesRefused.incrementAndGet();
            return List.of();
        }
        if (command.wrap(request, sealed ? box.plainOffset() : 0, sealed ? box.plainLength() : length) != Parse.OK) {
            return List.of();
        }
        byte[] digest = new byte[Protocol.DIGEST];
        command.copyDigest(digest, 0);
        ByteBuffer reply = ByteBuffer.allocate(Protocol.REPLY_HEADER + 96).order(ByteOrder.LITTLE_ENDIAN);
        reply.position(Protocol.REPLY_HEADER);
        if (command.code() == CommandCode.WRITE) {
            store(new Stored(digest, shingles(), command.flag(), command.value()));
            reply.putInt(0).putInt(command.flag()).putInt(command.tag()).putFloat(1).put(digest);
        } else {
            check(digest, reply);
        }
        if (!sealed) {
            return List.of(Arrays.copyOfRange(reply.array(), Protocol.REPLY_HEADER, reply.capacity()));
        }
        box.sealReply(box.sharedKey(), reply.array(), 0, 96);
        return List.of(reply.array());
    }

    private long[] shingles() {
        long[] shingles = new long[Protocol.SHINGLES];
        if (command.hasShingles()) {
            command.copyShingles(shingles, 0);
        }
        return shingles;
    }

    private void check(byte[] digest, ByteBuffer reply) {
        Stored best = hashes.get(ByteBuffer.wrap(digest));
        float probability = 1;
        if (best == null && command.hasShingles()) {
            int most = 16;
            for (Stored stored : hashes.values()) {
                int equal = 0;
                for (int i = 0; i < Protocol.SHINGLES; i++) {
                    equal += stored.shingles[i] == command.shingle(i) ? 1 : 0;
                }
                if (equal > most) {
                    most = equal;
                    best = stored;
                }
            }
            probability = most / 32f;
        }
        if (best == null) {
            reply.putInt(0).putInt(0).putInt(command.tag()).putFloat(0).put(digest);
        } else {
            reply.putInt(best.value).putInt(best.flag).putInt(command.tag()).putFloat(probability).put(best.digest);
        }
    }

    @Override
    public void close() throws IOException {
        stopping = true;
        socket.wake();
        stream.close();
        try {
            datagrams.join();
            frames.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        socket.close();
    }
}
