package dev.weir.bench.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.load.population.HashRequests;
import dev.weir.load.population.Population;
import dev.weir.wire.frame.FrameReader;
import dev.weir.wire.frame.FrameWriter;
import dev.weir.wire.reply.Reply;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Well-behaved TCP clients that must not be affected by an attack: one keeps its connection, the other reconnects for
 * each request. Both check stored hashes in turn. Times count from before the connection to the reply.
 */
public final class StreamAsker {
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * The outcome of the checks.
     *
     * @param staying response times over the permanent connection, in nanoseconds
     * @param coming response times over new connections, in nanoseconds
     * @param failed checks without the right reply within two seconds
     */
    public record Result(Histogram staying, Histogram coming, long failed) {}

    private final InetSocketAddress storage;
    private final Population known;
    private final HashRequests requests;
    private final Histogram staying = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private final Histogram coming = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private final Thread thread = Thread.ofPlatform().name("asker").daemon().unstarted(this::run);
    private volatile boolean stopping;
    private long failed;

    private StreamAsker(InetSocketAddress storage, Population known) {
        this.storage = storage;
        this.known = known;
        this.requests = new HashRequests(known, true);
    }

    /** Starts to check. */
    public static StreamAsker start(InetSocketAddress storage, Population known) {
        StreamAsker asker = new StreamAsker(storage, known);
        asker.thread.start();
        return asker;
    }

    /** Stops the clients and returns the outcome. */
    public Result finish() throws InterruptedException {
        stopping = true;
        thread.join();
        return new Result(staying, coming, failed);
    }

    private void run() {
        Socket kept = null;
        for (int number = 0; !stopping; number++) {
            kept = askOver(kept, number);
            Socket fresh = connectAndAsk(number);
            if (fresh != null) {
                Closing.quietly(fresh);
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        if (kept != null) {
            Closing.quietly(kept);
        }
    }

    /** The permanent connection, opened if absent. */
    private @Nullable Socket askOver(@Nullable Socket kept, int number) {
        if (kept == null) {
            return connect(number);
        }
        long start = System.nanoTime();
        try {
            if (ask(kept, number)) {
                staying.recordValue(System.nanoTime() - start);
                return kept;
            }
        } catch (IOException ended) {
            Closing.quietly(kept);
        }
        failed++;
        return null;
    }

    private @Nullable Socket connect(int number) {
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.connect(storage, TIMEOUT_MILLIS);
            if (ask(socket, number)) {
                return socket;
            }
        } catch (IOException e) {
            Closing.quietly(socket);
        }
        failed++;
        return null;
    }

    private @Nullable Socket connectAndAsk(int number) {
        long start = System.nanoTime();
        Socket socket = connect(number);
        if (socket != null) {
            coming.recordValue(System.nanoTime() - start);
        }
        return socket;
    }

    private boolean ask(Socket socket, int number) throws IOException {
        byte[] request = new byte[HashRequests.MAX_BYTES];
        int length = requests.check(number % known.size(), number, request, 0);
        ByteBuffer frame = ByteBuffer.allocate(FrameReader.HEADER + length);
        FrameWriter.put(frame, request, 0, length);
        socket.getOutputStream().write(frame.array());
        InputStream in = socket.getInputStream();
        byte[] head = in.readNBytes(FrameReader.HEADER);
        if (head.length < FrameReader.HEADER) {
            throw new IOException("the stream ends");
        }
        byte[] reply = in.readNBytes((head[0] & 0xff) | (head[1] & 0xff) << 8);
        return Reply.decode(reply, 0, reply.length)
                .filter(answer -> answer.tag() == number && answer.isMatch()).isPresent();
    }
}
