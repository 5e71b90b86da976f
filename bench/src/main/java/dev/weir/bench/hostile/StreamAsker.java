package dev.weir.bench.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.weir.bench.load.Learns;
import dev.weir.wire.frame.FrameReader;
import dev.weir.wire.frame.FrameWriter;
import dev.weir.wire.reply.Reply;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Clients over TCP that must not notice anything: one that stays connected, and one that reconnects for each request.
 * Each
 * asks in turn for hashes that the storage knows. Times count from before the connection to the answer.
 */
public final class StreamAsker {
    private static final int TIMEOUT_MILLIS = 2_000;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * What became of the questions.
     *
     * @param staying times of the answers over the connection that stays, in nanoseconds
     * @param coming times of the answers over new connections
     * @param failed questions without the right answer within two seconds
     */
    public record Result(Histogram staying, Histogram coming, long failed) {}

    private final InetSocketAddress storage;
    private final Learns known;
    private final int knownCount;
    private final Learns.Requests requests = new Learns.Requests();
    private final Histogram staying = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private final Histogram coming = new Histogram(TimeUnit.HOURS.toNanos(1), 3);
    private final Thread thread = Thread.ofPlatform().name("asker").daemon().unstarted(this::run);
    private volatile boolean stopping;
    private long failed;

    private StreamAsker(InetSocketAddress storage, Learns known, int knownCount) {
        this.storage = storage;
        this.known = known;
        this.knownCount = knownCount;
    }

    /** Begins to ask. */
    public static StreamAsker start(InetSocketAddress storage, Learns known, int knownCount) {
        StreamAsker asker = new StreamAsker(storage, known, knownCount);
        asker.thread.start();
        return asker;
    }

    /** Ends and gives what became of it. */
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
        byte[] request = new byte[Learns.REQUEST];
        requests.check(known, number % knownCount, number, request);
        ByteBuffer frame = ByteBuffer.allocate(FrameReader.HEADER + request.length);
        FrameWriter.put(frame, request, 0, request.length);
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
