package dev.weir.milter.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.message.HttpException;
import dev.weir.http.server.Deadlines;
import dev.weir.milter.protocol.CommandReader;
import dev.weir.milter.protocol.MilterAnswers;
import dev.weir.milter.protocol.MilterCommand;
import dev.weir.milter.protocol.MilterException;
import dev.weir.milter.session.MilterCounters.Event;
import dev.weir.milter.session.MilterSession;
import dev.weir.milter.settings.MilterSettings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection of a mail server, on its own virtual thread. */
final class MilterConnection implements Runnable, Deadlines.Timed {
    private static final Logger LOG = LoggerFactory.getLogger(MilterConnection.class);

    /** The time for the first packet. A mail server sends it at once. */
    private static final Duration FIRST = Duration.ofSeconds(10);
    /** The time in which the mail server must take an answer. */
    private static final Duration WRITE = Duration.ofSeconds(30);

    private final SocketChannel channel;
    private final MilterServer server;
    private volatile long deadline;
    private volatile boolean busy;

    MilterConnection(SocketChannel channel, MilterServer server) {
        this.channel = channel;
        this.server = server;
        this.deadline = server.after(FIRST);
    }

    @Override
    public long deadline() {
        return deadline;
    }

    @Override
    public void expire() {
        // Counted before the mail server can see the end.
        if (channel.isOpen()) {
            server.counters().count(Event.TIMEOUT);
        }
        close();
    }

    /** Closes the connection unless a mail is arriving or being scanned. */
    void closeIfIdle() {
        if (!busy) {
            close();
        }
    }

    @Override
    public void run() {
        try (MilterSession session = server.session(); BodyBudget.Share share = server.share()) {
            converse(session, share);
        } catch (MilterException e) {
            server.counters().count(Event.MALFORMED);
            server.notice().say("a mail server broke the protocol", place() + ": " + e.getMessage());
        } catch (ClosedChannelException e) {
            LOG.debug("this side closed a connection", e);
        } catch (IOException e) {
            server.counters().count(Event.LOST);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (HttpException | OutOfMemoryError e) {
            server.counters().count(Event.NO_MEMORY);
            server.notice().say("a connection was closed because there is no memory", place());
        } catch (RuntimeException | Error e) {
            server.counters().count(Event.DEFECT);
            LOG.error("a connection ended because of a bug", e);
        } finally {
            close();
            server.ended(this);
        }
    }

    private void converse(MilterSession session, BodyBudget.Share share)
            throws IOException, HttpException, InterruptedException {
        InputStream in = new BufferedInputStream(Channels.newInputStream(channel));
        OutputStream out = Channels.newOutputStream(channel);
        CommandReader reader = new CommandReader(in, share);
        MilterAnswers answers = new MilterAnswers();
        while (true) {
            Optional<MilterCommand> command = reader.next();
            if (command.isEmpty()) {
                return;
            }
            MilterSettings settings = server.settings();
            deadline = server.after(settings.scan().multipliedBy(2).plus(WRITE));
            // Before the mail is decided: a stop must not end a mail that is being scanned.
            busy |= command.get() instanceof MilterCommand.MailFrom;
            if (!session.take(command.get(), settings, answers)) {
                return;
            }
            if (!answers.isEmpty()) {
                answers.writeTo(out);
            }
            busy = session.isBusy();
            deadline = server.after(settings.idle());
            if (!busy && server.isClosed()) {
                return;
            }
        }
    }

    private String place() {
        try {
            return channel.getRemoteAddress() instanceof InetSocketAddress address
                    ? address.getAddress().getHostAddress()
                    : "a Unix-domain socket";
        } catch (IOException e) {
            return "a closed connection";
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("closing a connection", e);
        }
    }
}
