package dev.weir.http.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.http.message.HttpRequest;
import dev.weir.http.message.RequestReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection, which is one exchange: read, answer, write, close. Runs on a thread of its own. */
final class Connection implements Runnable, Deadlines.Timed {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    /** What is read and thrown away after an error, so that the client gets to read the reply before a reset. */
    private static final int MAX_LEFTOVER = 1 << 20;
    private static final long LINGER = TimeUnit.SECONDS.toNanos(2);

    private final SocketChannel channel;
    private final Client client;
    private final HttpServer server;
    private volatile long deadline;
    private volatile boolean expired;

    Connection(SocketChannel channel, Client client, HttpServer server) {
        this.channel = channel;
        this.client = client;
        this.server = server;
        this.deadline = System.nanoTime() + server.limits().receive().toNanos();
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public void expire() {
        expired = true;
        close();
    }

    @Override
    public void run() {
        try (BodyBudget.Share share = server.budget().share()) {
            exchange(share);
        } catch (ClosedChannelException e) {
            if (expired) {
                server.counters().timeOut();
            }
        } catch (IOException e) {
            server.counters().lostOne();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
            server.ended(this, client);
        }
    }

    private void exchange(BodyBudget.Share share) throws IOException, InterruptedException {
        InputStream in = Channels.newInputStream(channel);
        Optional<HttpRequest> request;
        try {
            request = new RequestReader(in, server.limits().request(), share, this::sendContinue).read();
        } catch (HttpException e) {
            server.counters().malformedOne();
            write(HttpReply.error(e.status(), e.reason()));
            discard(in);
            return;
        }
        deadline = System.nanoTime() + server.limits().answer().toNanos();
        if (request.isPresent()) {
            write(answer(request.get(), share));
        }
    }

    @SuppressWarnings("CatchAndPrintStackTrace")
    private HttpReply answer(HttpRequest request, BodyBudget.Share share) throws InterruptedException {
        try {
            return server.handler().handle(request, client, share);
        } catch (HttpException e) {
            return HttpReply.error(e.status(), e.reason());
        } catch (OutOfMemoryError e) {
            server.counters().defect();
            return HttpReply.error(503, "Out of memory");
        } catch (RuntimeException | StackOverflowError e) {
            // A defect of ours must end neither the process nor the client's patience; the log has the place.
            server.counters().defect();
            LOG.error("a request for {} from {} could not be answered", request.path(), client, e);
            return HttpReply.error(500, "Internal error");
        }
    }

    private void sendContinue() throws IOException {
        write("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private void write(HttpReply reply) throws IOException {
        write(reply.toBytes("Connection: close\r\nServer: weir\r\nDate: " + server.date() + "\r\n"));
    }

    private void write(byte[] bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private void discard(InputStream in) throws IOException {
        deadline = System.nanoTime() + LINGER;
        channel.shutdownOutput();
        byte[] waste = new byte[8192];
        int read = 0;
        for (int total = 0; read >= 0 && total < MAX_LEFTOVER; total += read) {
            read = in.read(waste);
        }
    }

    private void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a connection of {}", client, e);
        }
    }
}
