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

import dev.weir.load.population.HashRequests;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.command.CommandWriter;
import dev.weir.wire.reply.Reply;

/**
 * A blocking client with one request at a time, for one thread. It shares no code with the client under test, so that
 * a fault of that client cannot hide a lost update.
 */
public final class Asker implements AutoCloseable {
    private static final int TIMEOUT_MILLIS = 1000;
    private static final int CLOSED_PORT_MILLIS = 100;

    /** Every storage since 1.7 understands this version and answers it with a digest. */
    private static final int VERSION = 4;
    private static final long[] NO_SHINGLES = {};

    private final DatagramSocket socket;
    private final SplittableRandom tags = new SplittableRandom();
    private final CommandWriter writer = new CommandWriter();
    private final byte[] request = new byte[HashRequests.MAX_BYTES];

    /** Opens a client of the storage at an address. */
    public Asker(InetSocketAddress storage) throws IOException {
        this(storage, new InetSocketAddress(0));
    }

    /** Opens a client with an address of its own. */
    public Asker(InetSocketAddress storage, InetSocketAddress own) throws IOException {
        socket = new DatagramSocket(own);
        try {
            socket.connect(storage);
            socket.setSoTimeout(TIMEOUT_MILLIS);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Returns the number of hashes that the storage reports.
     *
     * @param attempts maximum number of requests; each waits one second, or a tenth of it while the port is closed
     * @return empty if the storage does not answer
     */
    public Optional<Long> count(int attempts) throws IOException {
        return ask(CommandCode.STAT, new byte[Protocol.DIGEST], NO_SHINGLES, attempts).map(Reply::count);
    }

    /**
     * Checks a digest without shingles.
     *
     * @return empty if the storage does not answer within ten seconds
     */
    public Optional<Reply> check(byte[] digest) throws IOException {
        return check(digest, NO_SHINGLES);
    }

    /**
     * Checks a digest with its shingles.
     *
     * @return empty if the storage does not answer within ten seconds
     */
    public Optional<Reply> check(byte[] digest, long[] shingles) throws IOException {
        return ask(CommandCode.CHECK, digest, shingles, 10);
    }

    private Optional<Reply> ask(int code, byte[] digest, long[] shingles, int attempts) throws IOException {
        int tag = tags.nextInt();
        writer.begin(request, 0, VERSION, code).flag(1).tag(tag).digest(digest, 0);
        if (shingles.length > 0) {
            writer.shingles(shingles);
        }
        int length = writer.end();
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
            } catch (PortUnreachableException e) {
                pause();
            } catch (SocketTimeoutException e) {
                // The next attempt follows.
            }
        }
        return Optional.empty();
    }

    /** A closed port answers at once; requests without a pause would slow down the start of the server. */
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
