package dev.weir.bench.load;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Optional;
import java.util.SplittableRandom;

import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.reply.Reply;

/** Asks a storage one thing at a time and waits for the answer. Serves one thread. */
public final class Asker implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 1000;
    private static final int CLOSED_PORT_MILLIS = 100;

    private final DatagramSocket socket;
    private final SplittableRandom tags = new SplittableRandom();
    private final Learns.Requests requests = new Learns.Requests();
    private final byte[] request = new byte[Learns.REQUEST];

    /** A client of the storage at an address. */
    public Asker(InetSocketAddress storage) throws IOException {
        socket = new DatagramSocket();
        try {
            socket.connect(storage);
            socket.setSoTimeout(TIMEOUT_MILLIS);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Returns the number of hashes that the storage says it has.
     *
     * @param attempts how often to ask, one second each, or a tenth of it while the port is closed
     * @return empty if it does not answer
     */
    public Optional<Long> count(int attempts) throws IOException {
        return ask(CommandCode.STAT, new byte[Protocol.DIGEST], attempts).map(Reply::count);
    }

    /**
     * What the storage has for exactly this digest.
     *
     * @return empty if it does not answer within ten seconds
     */
    public Optional<Reply> check(byte[] digest) throws IOException {
        return ask(CommandCode.CHECK, digest, 10);
    }

    private Optional<Reply> ask(int code, byte[] digest, int attempts) throws IOException {
        int tag = tags.nextInt();
        int length = requests.plain(code, tag, digest, request);
        DatagramPacket answer = new DatagramPacket(new byte[Protocol.MAX_DATAGRAM], Protocol.MAX_DATAGRAM);
        for (int attempt = 0; attempt < attempts; attempt++) {
            long deadline = System.nanoTime() + TIMEOUT_MILLIS * 1_000_000L;
            try {
                socket.send(new DatagramPacket(request, length));
                while (System.nanoTime() < deadline) {
                    answer.setLength(Protocol.MAX_DATAGRAM);
                    socket.receive(answer);
                    Optional<Reply> reply = Reply.decode(Arrays.copyOf(answer.getData(), answer.getLength()), 0,
                            answer.getLength());
                    if (reply.isPresent() && reply.get().tag() == tag) {
                        return reply;
                    }
                }
            } catch (PortUnreachableException nobodyThere) {
                pause();
            } catch (SocketTimeoutException noAnswer) {
                // Asked again, or given up.
            }
        }
        return Optional.empty();
    }

    /** A closed port answers at once: asking on and on would only keep the machine from starting the server. */
    private static void pause() throws IOException {
        try {
            Thread.sleep(CLOSED_PORT_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
