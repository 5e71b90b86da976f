package dev.weir.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.weir.wire.Generation;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.Opened;
import dev.weir.wire.command.Carrier;
import dev.weir.wire.command.Command;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.Parse;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.ServerKeys;
import dev.weir.wire.reply.ReplyWriter;
import org.jspecify.annotations.Nullable;

/** A scripted storage on loopback. It keeps hashes in a map, and can drop requests, reject them, or stay silent. */
public final class ScriptedStorage implements AutoCloseable {
    private static final int OUT_BYTES = 256;

    /** Decides about each request. */
    public interface Script {
        /** Returns whether the storage answers a request. */
        boolean answers(Command command);
    }

    private final DatagramSocket socket;
    private final @Nullable KeyPair key;
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private volatile @Nullable ServerSocket listener;
    /** The values by digest in hexadecimal. */
    public final Map<String, Integer> values = new ConcurrentHashMap<>();
    /** The probability of the match, by digest; 1 by default. */
    public final Map<String, Float> near = new ConcurrentHashMap<>();
    /** The flags by digest in hexadecimal. Answers have flag 1 unless {@link #keepsFlags} is set. */
    public final Map<String, Integer> flags = new ConcurrentHashMap<>();
    /** Whether answers have the flag that was learned last. */
    public volatile boolean keepsFlags;
    /** The command codes of all requests. */
    public final List<Integer> commands = new CopyOnWriteArrayList<>();
    /** The versions of all requests. */
    public final List<Integer> versions = new CopyOnWriteArrayList<>();
    /** The tags of all requests except stat. */
    public final List<Integer> tags = new CopyOnWriteArrayList<>();
    /** The transports of all requests except stat: {@code udp} or {@code tcp}. */
    public final List<String> transports = new CopyOnWriteArrayList<>();
    private final Set<String> applied = ConcurrentHashMap.newKeySet();
    /** Whether updates are stored and their answers get lost. */
    public volatile boolean losesConfirmations;
    /** The script. */
    public volatile Script script = command -> true;
    /** The error number of every reply; 0 for none. */
    public volatile int error;
    /** Whether the storage knows replies with several flags, as Rspamd 4 does. */
    public volatile boolean multiFlag = true;

    private ScriptedStorage(DatagramSocket socket, @Nullable KeyPair key) {
        this.socket = socket;
        this.key = key;
    }

    /** Starts a storage on a port that is free for UDP and TCP. */
    public static ScriptedStorage start() throws IOException {
        BindException last = new BindException("no port is free for both UDP and TCP");
        for (int attempt = 0; attempt < 100; attempt++) {
            ScriptedStorage storage = start(0, null);
            try (ServerSocket _ = new ServerSocket(storage.port(), 1, InetAddress.getLoopbackAddress())) {
                return storage;
            } catch (BindException taken) {
                // A client of another program has that port for TCP.
                storage.close();
                last = taken;
            }
        }
        throw last;
    }

    /**
     * Starts a storage.
     *
     * @param port 0 for one that is free for UDP
     * @param key its key pair if it takes only encrypted requests
     */
    public static ScriptedStorage start(int port, @Nullable KeyPair key) throws IOException {
        ScriptedStorage storage = new ScriptedStorage(new DatagramSocket(port, InetAddress.getLoopbackAddress()),
                key);
        Thread.ofPlatform().daemon().start(storage::serve);
        return storage;
    }

    /** Starts a storage at an address, which takes plain requests. */
    public static ScriptedStorage start(InetAddress address, int port) throws IOException {
        ScriptedStorage storage = new ScriptedStorage(new DatagramSocket(port, address), null);
        Thread.ofPlatform().daemon().start(storage::serve);
        return storage;
    }

    /** Also accepts TCP connections on the same port. */
    public ScriptedStorage withTcp() throws IOException {
        ServerSocket open = new ServerSocket(port(), 10, InetAddress.getLoopbackAddress());
        listener = open;
        Thread.ofPlatform().daemon().start(() -> accept(open));
        return this;
    }

    /** Returns the port. */
    public int port() {
        return socket.getLocalPort();
    }

    /** Returns address and port in the syntax of the configuration. */
    public String address() {
        return "127.0.0.1:" + port();
    }

    /** Returns the number of requests, excluding the stat requests that clients send automatically. */
    public long asked() {
        return commands.stream().filter(code -> code != CommandCode.STAT).count();
    }

    /** Returns the number of distinct requests. A repetition has the tag of the original. */
    public long questions() {
        return tags.stream().distinct().count();
    }

    private void serve() {
        byte[] in = new byte[2048];
        Answering answering = new Answering();
        while (true) {
            try {
                DatagramPacket packet = new DatagramPacket(in, in.length);
                socket.receive(packet);
                int length = answering.answer(in, packet.getLength(), "udp", packet.getPort());
                if (length > 0) {
                    socket.send(new DatagramPacket(answering.out, length, packet.getSocketAddress()));
                }
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void accept(ServerSocket open) {
        while (true) {
            try {
                Socket connection = open.accept();
                connections.add(connection);
                Thread.ofPlatform().daemon().start(() -> converse(connection));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void converse(Socket connection) {
        Answering answering = new Answering();
        try {
            DataInputStream in = new DataInputStream(connection.getInputStream());
            OutputStream out = connection.getOutputStream();
            while (true) {
                int length = in.readUnsignedByte() | in.readUnsignedByte() << 8;
                byte[] frame = in.readNBytes(length);
                int size = answering.answer(frame, length, "tcp", connection.getPort());
                if (size > 0) {
                    out.write(new byte[]{(byte) size, (byte) (size >> 8)});
                    out.write(answering.out, 0, size);
                    out.flush();
                }
            }
        } catch (IOException closed) {
            connections.remove(connection);
        }
    }

    /** Closes all connections but continues to accept new ones. */
    public void hangUp() throws IOException {
        for (Socket connection : connections) {
            connection.close();
        }
    }

    private final class Answering {
        final byte[] out = new byte[OUT_BYTES];
        private final Command command = new Command(EnumSet.of(Generation.V3, Generation.V4, Generation.MULTI_FLAG));
        private final ReplyWriter writer = new ReplyWriter();
        private final Box box = new Box(new SecureRandom(), 8);

        int answer(byte[] in, int length, String transport, int from) {
            port = from;
            int at = 0;
            int size = length;
            KeyPair pair = key;
            if (pair != null) {
                if (box.open(ServerKeys.of(List.of(pair)), in, 0, length) != Opened.OK) {
                    return 0;
                }
                at = box.plainOffset();
                size = box.plainLength();
            }
            if (command.wrap(in, at, size, pair == null ? Carrier.DATAGRAM : Carrier.BOXED_DATAGRAM) != Parse.OK) {
                return 0;
            }
            if ((command.version() & 0x10) != 0 && !multiFlag) {
                return 0;
            }
            commands.add(command.code());
            versions.add(command.version());
            if (command.code() != CommandCode.STAT) {
                tags.add(command.tag());
                transports.add(transport);
            }
            if (!script.answers(command)) {
                return 0;
            }
            reply();
            if (losesConfirmations && command.code() == CommandCode.WRITE) {
                return 0;
            }
            return pair == null ? written : box.sealReply(box.sharedKey(), out, 0, written);
        }

        private int written;
        private int port;

        private void reply() {
            byte[] digest = new byte[Protocol.DIGEST];
            command.copyDigest(digest, 0);
            String name = HexFormat.of().formatHex(digest);
            writer.begin(command, out, key == null ? 0 : Protocol.REPLY_HEADER);
            if (error != 0 && command.code() != CommandCode.STAT) {
                written = writer.error(error).end();
                return;
            }
            switch (command.code()) {
                case CommandCode.CHECK -> {
                    Integer value = values.get(name);
                    writer.result(value == null ? 0 : value,
                            value == null ? 0 : keepsFlags ? flags.getOrDefault(name, 1) : 1,
                            value == null ? 0 : near.getOrDefault(name, 1f));
                }
                case CommandCode.WRITE -> {
                    // Like Weir's storage, recognizes a repetition by its sender and tag.
                    if (applied.add(port + "/" + command.tag())) {
                        values.merge(name, command.value(), Integer::sum);
                        flags.put(name, command.flag());
                    }
                    writer.accepted();
                }
                case CommandCode.DEL -> {
                    values.remove(name);
                    writer.accepted();
                }
                default -> writer.count(values.size());
            }
            written = writer.end();
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        ServerSocket open = listener;
        if (open != null) {
            open.close();
        }
        hangUp();
    }
}
