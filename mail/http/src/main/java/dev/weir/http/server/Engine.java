package dev.weir.http.server;

import java.io.IOException;
import java.util.Optional;
import javax.net.ssl.SSLEngine;

import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.AbstractConnector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.HostPort;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.eclipse.jetty.util.thread.ThreadPool;
import org.eclipse.jetty.util.thread.TryExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Jetty without listeners, selectors and threads of its own: an {@link HttpServer} accepts connections and gives each
 * its thread. {@link #start} once, {@link #stop} once.
 */
final class Engine {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);

    /** The buffer for the body of a request, from which it is copied. */
    private static final int INPUT = 32 << 10;
    /** The head of a reply: that of the largest one, too. */
    private static final int OUTPUT_HEAD = 8 << 10;
    /** The memory of buffers that Jetty keeps for the next connection. */
    private static final long KEPT = 4L << 20;

    private final HttpServer server;
    private final HttpConfiguration configuration = new HttpConfiguration();
    private final Server jetty = new Server(new Threads(), new ScheduledExecutorScheduler("weir-http-times", true),
            new ArrayByteBufferPool(0, 4096, 65_536, Integer.MAX_VALUE, KEPT, KEPT));
    private final Connections connections;

    Engine(HttpServer server) {
        this.server = server;
        configuration.setSendServerVersion(false);
        configuration.setOutputBufferSize(OUTPUT_HEAD);
        configuration.setResponseHeaderSize(OUTPUT_HEAD);
        // Jetty would look it up for every request without a host.
        configuration.setServerAuthority(new HostPort("localhost"));
        // The exchange reads the rest of a body that matters. One read finds the end of a whole one.
        configuration.setMaxUnconsumedRequestContentReads(1);
        connections = new Connections();
        jetty.addConnector(connections);
        jetty.setHandler(new Exchanges());
    }

    /** Sets the maximum size of the head of a request, for connections from now on. */
    void headBytes(int bytes) {
        configuration.setRequestHeaderSize(bytes);
    }

    void start() {
        try {
            jetty.start();
        } catch (Exception e) {
            throw new IllegalStateException("Jetty does not start", e);
        }
    }

    /** Ends every connection after its exchange in progress. */
    void closing() {
        var _ = connections.shutdown();
    }

    void stop() {
        try {
            jetty.stop();
        } catch (Exception e) {
            LOG.warn("Jetty does not stop", e);
        }
    }

    /** Begins to serve a connection on the calling thread. */
    void open(ChannelEndPoint channel, Optional<SSLEngine> tls) {
        if (tls.isEmpty()) {
            connect(channel, channel);
        } else {
            SslConnection secure = configured(new SslConnection(jetty.getByteBufferPool(), jetty.getThreadPool(),
                    null, channel, tls.get(), true, true));
            secure.setRenegotiationAllowed(false);
            channel.setConnection(secure);
            connect(secure.getSslEndPoint(), channel);
        }
        channel.onOpen();
        channel.getConnection().onOpen();
    }

    private void connect(EndPoint endPoint, ChannelEndPoint channel) {
        ExchangeConnection connection = configured(
                new ExchangeConnection(configuration, connections, endPoint, channel));
        endPoint.setConnection(connection);
    }

    private static <C extends AbstractConnection> C configured(C connection) {
        connection.setInputBufferSize(INPUT);
        return connection;
    }

    /** Returns the header with the present time. */
    String date() {
        return jetty.getDateField().toString();
    }

    /** What Jetty asks of a listener. */
    private final class Connections extends AbstractConnector {
        Connections() {
            super(jetty, null, null, null, 0, new HttpConnectionFactory(configuration));
            setIdleTimeout(0);
        }

        @Override
        protected void accept(int acceptor) throws IOException {
            throw new IOException("the server accepts connections itself");
        }

        @Override
        public Object getTransport() {
            return server;
        }
    }

    /** The way from Jetty's requests to ours. */
    private final class Exchanges extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            ExchangeConnection connection = (ExchangeConnection) request.getConnectionMetaData().getConnection();
            ChannelEndPoint channel = connection.channel();
            boolean persists = false;
            try {
                persists = Exchange.run(connection, request, response);
            } catch (IOException e) {
                LOG.debug("an exchange with {} ended", channel.client(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException | Error e) {
                server.counters().defect();
                LOG.error("a reply to {} ended because of a bug or a lack of memory", channel.client(), e);
            }
            if (persists) {
                channel.rest();
            } else {
                connection.finish();
                channel.finish();
            }
            if (response.isCommitted()) {
                callback.succeeded();
            } else {
                callback.failed(new AbortException());
            }
            return true;
        }
    }

    /** A virtual thread for the few things that Jetty does not do on the thread of the connection. */
    private static final class Threads implements ThreadPool, TryExecutor {
        @Override
        public void execute(Runnable task) {
            tryExecute(task);
        }

        @Override
        public boolean tryExecute(Runnable task) {
            Thread.ofVirtual().name("weir-http").start(task);
            return true;
        }

        @Override
        public void join() {
            // Its threads end with their connections.
        }

        @Override
        public int getThreads() {
            return 0;
        }

        @Override
        public int getIdleThreads() {
            return 0;
        }

        @Override
        public boolean isLowOnThreads() {
            return false;
        }
    }
}
