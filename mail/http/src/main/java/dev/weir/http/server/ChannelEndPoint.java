package dev.weir.http.server;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLPeerUnverifiedException;

import dev.weir.http.message.HttpReply;
import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.EofException;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection as Jetty sees it: bytes in, bytes out. A virtual thread blocks for it, so Jetty needs no selector, and
 * an exchange passes from no thread to another. It has the deadline and the place of the connection.
 */
final class ChannelEndPoint extends AbstractEndPoint implements Runnable, Deadlines.Timed {
    private static final Logger LOG = LoggerFactory.getLogger(ChannelEndPoint.class);

    /** The bytes for which a connection waits without a buffer of Jetty. Most heads have fewer. */
    private static final int AHEAD = 1024;
    /**
     * The time for reading and discarding the rest of a request after an early reply, such as a refusal, so that the
     * client reads the reply before a reset.
     */
    private static final Duration LINGER = Duration.ofSeconds(2);
    /** The number of bytes to discard, or the maximum size of a body if that is more. */
    private static final int MIN_LEFTOVER = 1 << 20;
    private static final Duration LATE_HEAD = Duration.ofSeconds(1);

    /** Deadlines watch connections, not Jetty. */
    private static final Scheduler NO_TIMES = new ScheduledExecutorScheduler();

    private final SocketChannel channel;
    private final Client client;
    private final boolean tls;
    private final HttpServer server;
    private final AtomicReference<Turn> turn = new AtomicReference<>(Turn.RUNNING);
    private ByteBuffer ahead;
    private boolean ended;
    private boolean last;
    private volatile boolean idle;
    private volatile long deadline;
    private volatile Ending ending = Ending.ITS_OWN;

    /** The reasons for the end of a connection. */
    private enum Ending {
        /** The last exchange is complete, or the client closed the connection. */
        ITS_OWN,
        TIMED_OUT,
        /** No request with access arrived, and another connection needed the place. */
        DISPLACED
    }

    /** What the thread of the connection does. */
    private enum Turn {
        RUNNING,
        /** Running, and Jetty wants to be called when there are bytes. */
        WANTED,
        /** There is no thread. */
        OVER
    }

    /**
     * Creates a connection that is not open yet.
     *
     * @param begun what was read from it already
     * @param tls whether it begins with TLS
     */
    ChannelEndPoint(SocketChannel channel, byte[] begun, Client client, boolean tls, HttpServer server) {
        super(NO_TIMES);
        this.channel = channel;
        this.ahead = ByteBuffer.wrap(begun);
        this.client = client;
        this.tls = tls;
        this.server = server;
        this.deadline = server.after(server.limits().receive());
    }

    boolean isTls() {
        return tls;
    }

    /** Returns the client. Its certificate counts once it has sent a request. */
    Client client() {
        return getConnection() instanceof SslConnection secure && hasCertificate(secure) ? client.certified() : client;
    }

    /** Returns whether the client has shown a certificate, which may have expired since. */
    private static boolean hasCertificate(SslConnection secure) {
        try {
            ((X509Certificate) secure.getSSLEngine().getSession().getPeerCertificates()[0]).checkValidity();
            return true;
        } catch (SSLPeerUnverifiedException | CertificateException e) {
            return false;
        }
    }

    HttpServer server() {
        return server;
    }

    @Override
    public long deadline() {
        return deadline;
    }

    /** Sets the time that is left from now on. */
    void allow(Duration time) {
        deadline = server.after(time);
    }

    /** Sets the time that is left, unless less is left. */
    void allowAtMost(Duration time) {
        long end = server.after(time);
        if (end - deadline < 0) {
            deadline = end;
        }
    }

    @Override
    public void expire() {
        end(Ending.TIMED_OUT);
        server.dismiss(this);
    }

    /** Closes the connection because another one needs its place. Any thread may call this. */
    void displace() {
        end(Ending.DISPLACED);
    }

    /** Gives the connection a place after a wait. Its request has been sent by now, and others wait. */
    void enterLate() {
        deadline = server.after(LATE_HEAD);
    }

    /** Returns whether the server has ended the connection, so that what was sent is not malformed. */
    boolean isCut() {
        return ending != Ending.ITS_OWN;
    }

    /** Ends the wait of whichever thread reads or writes, which then closes the rest. */
    private void end(Ending why) {
        ending = why;
        closeChannel();
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a connection of {}", client, e);
        }
    }

    /**
     * Keeps the place until the end of the exchange.
     *
     * @throws ClosedChannelException if the connection has lost it
     */
    void keepPlace() throws ClosedChannelException {
        idle = false;
        if (!server.asks(this)) {
            throw new ClosedChannelException();
        }
    }

    /** Waits for the next request. Ends the connection instead if others wait for its place. */
    void rest() {
        idle = true;
        allow(HttpServer.IDLE);
        if (!server.rests(this)) {
            close();
        }
    }

    /** The thread of the connection, from its beginning. */
    @Override
    public void run() {
        try {
            server.open(this);
        } catch (RuntimeException | Error e) {
            defect(e);
        }
        serve();
    }

    @Override
    protected void needsFillInterest() {
        if (turn.getAndSet(Turn.WANTED) == Turn.OVER) {
            Thread.ofVirtual().name("weir-http").start(this::serve);
        }
    }

    /** Calls Jetty as often as it wants to be called. */
    private void serve() {
        do {
            while (turn.compareAndSet(Turn.WANTED, Turn.RUNNING)) {
                try {
                    readAhead();
                    getFillInterest().fillable();
                } catch (RuntimeException | Error e) {
                    defect(e);
                }
            }
        } while (!turn.compareAndSet(Turn.RUNNING, Turn.OVER));
        if (!channel.isOpen()) {
            close();
        }
    }

    private void defect(Throwable cause) {
        // The log must name what ends a connection, and a metric must count it.
        server.counters().defect();
        LOG.error("a connection of {} ended because of a bug or a lack of memory", client, cause);
        close();
    }

    /** Waits for bytes. An idle connection has no larger buffer than this. */
    void readAhead() {
        if (!ahead.hasRemaining() && !ended && isOpen()) {
            if (ahead.capacity() < AHEAD) {
                ahead = ByteBuffer.allocate(AHEAD);
            }
            ahead.clear();
            take(ahead);
            ahead.flip();
        }
    }

    @Override
    public int fill(ByteBuffer buffer) {
        if (isInputShutdown()) {
            return -1;
        }
        // TLS asks for more also if it has bytes; only it knows whether they are enough, so this must not wait then.
        boolean waits = !buffer.hasRemaining();
        int start = BufferUtil.flipToFill(buffer);
        int before = buffer.position();
        if (ahead.hasRemaining()) {
            int count = Math.min(ahead.remaining(), buffer.remaining());
            buffer.put(buffer.position(), ahead, ahead.position(), count);
            buffer.position(buffer.position() + count);
            ahead.position(ahead.position() + count);
        } else if (waits && !ended && buffer.hasRemaining()) {
            take(buffer);
        }
        int count = buffer.position() - before;
        BufferUtil.flipToFlush(buffer, start);
        if (count == 0 && ended) {
            shutdownInput();
            return -1;
        }
        return count;
    }

    private void take(ByteBuffer target) {
        try {
            ended = channel.read(target) < 0;
        } catch (IOException e) {
            lost(e);
            ended = true;
        }
    }

    private void lost(IOException cause) {
        // The server counts a connection that it closed itself.
        if (!(cause instanceof ClosedChannelException)) {
            server.counters().lostOne();
        }
    }

    /** Returns whether bytes of a request are here already. */
    boolean hasAhead() {
        return ahead.hasRemaining();
    }

    @Override
    public boolean flush(ByteBuffer... buffers) throws EofException {
        try {
            for (ByteBuffer last = buffers[buffers.length - 1]; last.hasRemaining() || hasMore(buffers);) {
                if (buffers.length == 1) {
                    channel.write(last);
                } else {
                    channel.write(buffers);
                }
            }
            return true;
        } catch (IOException e) {
            lost(e);
            throw new EofException(e);
        }
    }

    private static boolean hasMore(ByteBuffer... buffers) {
        for (ByteBuffer buffer : buffers) {
            if (buffer.hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    @Override
    protected void onIncompleteFlush() {
        throw new IllegalStateException("a blocking write was incomplete");
    }

    /** Writes bytes without Jetty's generator. */
    void send(byte[] bytes) throws IOException {
        plain().flush(ByteBuffer.wrap(bytes));
    }

    /** Returns the end of the connection that reads and writes without TLS. */
    private EndPoint plain() {
        return getConnection() instanceof SslConnection secure ? secure.getSslEndPoint() : this;
    }

    /** Says that the connection ends with the reply that is written next, so that one call of the system ends it. */
    void last() {
        last = true;
    }

    /** Ends the connection after its last reply. */
    void finish() {
        plain().close();
        close();
    }

    /** Writes a refusal of a request that has no endpoint, and closes. */
    void refuse(HttpReply reply) {
        if (isCut()) {
            close();
            return;
        }
        server.counters().malformedOne();
        try {
            allowAtMost(server.limits().write());
            send(reply.toBytes("Connection: close\r\nServer: weir\r\n" + server.date() + "\r\n"));
            discard();
        } catch (IOException e) {
            LOG.debug("a refusal did not reach {}", client, e);
        }
        finish();
    }

    /** Reads the rest of a request, so that the client reads a reply before a reset. */
    void discard() {
        allow(LINGER);
        plain().shutdownOutput();
        ByteBuffer waste = ByteBuffer.allocate(8192);
        int most = Math.max(MIN_LEFTOVER, server.limits().request().bodyBytes());
        for (int total = 0; !ended && total < most; total += waste.position()) {
            waste.clear();
            take(waste);
        }
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return address(true);
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return address(false);
    }

    private @Nullable SocketAddress address(boolean local) {
        try {
            return local ? channel.getLocalAddress() : channel.getRemoteAddress();
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public Object getTransport() {
        return channel;
    }

    @Override
    protected void doShutdownOutput() {
        try {
            if (!last) {
                channel.shutdownOutput();
            }
        } catch (IOException e) {
            LOG.debug("ending the output to {}", client, e);
        }
    }

    @Override
    protected void doClose() {
        closeChannel();
    }

    @Override
    public void onClose(@Nullable Throwable failure) {
        super.onClose(failure);
        Connection connection = getConnection();
        if (connection != null) {
            connection.onClose(failure);
        }
        if (ending == Ending.TIMED_OUT && !idle) {
            server.counters().timeOut();
        }
        server.ended(this);
    }
}
