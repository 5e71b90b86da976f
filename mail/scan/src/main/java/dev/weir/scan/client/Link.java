package dev.weir.scan.client;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.model.failure.Reason;
import dev.weir.wire.Protocol;
import dev.weir.wire.ReplyLayout;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.Opened;
import dev.weir.wire.key.PublicKey;
import dev.weir.wire.reply.Reply;
import org.jspecify.annotations.Nullable;

/**
 * The transport to one address with one key: a UDP socket, and a TCP connection if the rule asks for it. For the event
 * loop only.
 *
 * <p><b>Protocol version.</b> Rspamd 4 and Weir answer version byte {@code 0x14} with all flags of a hash. Rspamd 3
 * drops it and answers {@code 0x04}. Until a reply shows the version of the storage, checks are sent in both forms, and
 * an answer to the older form waits a moment for the other one. Updates are sent as {@code 0x04}, which every storage
 * understands, because two copies would count twice.
 *
 * <p><b>Side hashes of HTML.</b> Rspamd before 4.1.5 drops a request with an extension that it does not know. A storage
 * that answers only version {@code 0x04} gets no side hashes. A storage that answers only after they were left out gets
 * none for ten minutes.
 *
 * <p><b>Valid answers.</b> Replies do not identify themselves, and with a key both directions are encrypted alike. A
 * link therefore has a separate client key, which rejects everything that other links sent or received. It recognizes
 * its own requests by their nonce. An answer must have the tag of a pending call and the length of one of the requested
 * versions. Everything else is dropped.
 */
final class Link implements EventLoop.Handler {
    static final int MULTI_FLAG_VERSION = 0x14;
    static final int LONG_REPLY_VERSION = 0x04;
    private static final int SOCKET_BUFFER = 1 << 20;
    /** The maximum number of datagrams to read before other sockets have their turn. */
    private static final int BATCH = 256;
    /** The time for which a storage that dropped side hashes gets none. */
    private static final Duration REDUCED = Duration.ofMinutes(10);
    private static final long SECOND_FORM = Duration.ofMillis(20).toNanos();

    private final FuzzyClient client;
    private final Server server;
    private final InetSocketAddress address;
    private final Optional<PublicKey> key;
    private final @Nullable ClientSession session;
    private final Map<Integer, Asked> expected = new HashMap<>();
    private final List<Reply> parked = new ArrayList<>();
    private @Nullable DatagramChannel channel;
    private @Nullable Stream stream;
    /** Zero until a reply shows which version the storage understands. */
    private int version;
    private int helloTag;
    private long greeted;
    /** Whether the storage answered a request with side hashes. */
    private boolean takesSides;
    /** Whether requests get no side hashes until {@link #reducedUntil}. */
    private boolean reduced;
    private long reducedUntil;
    private boolean reductionReported;
    private boolean foreign;
    private boolean echoed;
    private String sendFailure = "";

    /** How often a call was sent in one version. */
    private static final class Sent {
        private int whole;
        private int withoutSides;
    }

    /** A call and the versions in which it was sent. */
    private static final class Asked {
        private final Call call;
        private final Sent multiFlag = new Sent();
        private final Sent longReply = new Sent();

        Asked(Call call) {
            this.call = call;
        }

        Sent in(int sentVersion) {
            return sentVersion == MULTI_FLAG_VERSION ? multiFlag : longReply;
        }

        Sent in(ReplyLayout layout) {
            return layout == ReplyLayout.MULTI_FLAG ? multiFlag : longReply;
        }

        boolean isFor(ReplyLayout layout) {
            Sent sent = in(layout);
            return layout != ReplyLayout.SHORT && sent.whole + sent.withoutSides > 0;
        }
    }

    Link(FuzzyClient client, Server server, InetSocketAddress address, Optional<PublicKey> key) {
        this.client = client;
        this.server = server;
        this.address = address;
        this.key = key;
        this.session = key.map(client::session).orElse(null);
    }

    Server server() {
        return server;
    }

    InetSocketAddress address() {
        return address;
    }

    /** Returns whether a datagram arrived that the key does not decrypt. */
    boolean heardForeign() {
        return foreign;
    }

    /** Returns whether one of this link's own requests came back. */
    boolean heardEcho() {
        return echoed;
    }

    /** Returns why the last datagram could not be sent. Empty if it was sent. */
    String sendFailure() {
        return sendFailure;
    }

    /** Registers a call and returns the tag of its reply. */
    int expect(Call call) {
        int wished = call.question.tag();
        Asked asked = new Asked(call);
        if (wished != 0 && wished != helloTag && expected.putIfAbsent(wished, asked) == null) {
            return wished;
        }
        while (true) {
            int tag = client.tags().next();
            if (tag != helloTag && expected.putIfAbsent(tag, asked) == null) {
                return tag;
            }
        }
    }

    void forget(int tag) {
        expected.remove(tag);
    }

    /**
     * Sends a request that no mail waits for, to find out whether a storage is available and which version it
     * understands.
     */
    void hello() {
        do {
            helloTag = client.tags().next();
        } while (expected.containsKey(helloTag));
        greeted = System.nanoTime();
        datagram(Question.count(), helloTag, MULTI_FLAG_VERSION);
        datagram(Question.count(), helloTag, LONG_REPLY_VERSION);
    }

    /** Sends a call, over the TCP connection if it is open and has room. */
    void send(Call call, boolean overStream) {
        int tag = call.tagOn(this);
        Question question = call.question;
        server.sent(System.nanoTime());
        if (version == LONG_REPLY_VERSION && question.isEnriched() && !client.isQuiet()
                && System.nanoTime() - greeted > REDUCED.toNanos()) {
            // The storage may have been updated since.
            hello();
        }
        if (overStream && framed(question, tag)) {
            return;
        }
        if (version != 0) {
            datagram(question, tag, version);
        } else if (question.isUpdate()) {
            datagram(question, tag, LONG_REPLY_VERSION);
        } else {
            datagram(question, tag, MULTI_FLAG_VERSION);
            datagram(question, tag, LONG_REPLY_VERSION);
        }
    }

    private boolean framed(Question question, int tag) {
        if (stream == null || !stream.isOpen()) {
            return false;
        }
        if (version != 0) {
            return stream.send(pack(question, tag, version));
        }
        return stream.send(pack(question, tag, MULTI_FLAG_VERSION))
                && stream.send(pack(question, tag, LONG_REPLY_VERSION));
    }

    private ByteBuffer pack(Question question, int tag, int sentVersion) {
        Asked asked = expected.get(tag);
        if (asked == null) {
            return client.packer().pack(question, tag, sentVersion, session);
        }
        Sent sent = asked.in(sentVersion);
        if (question.isEnriched() && missesSides(asked.call, sentVersion)) {
            sent.withoutSides++;
            client.countReduced();
            return client.packer().pack(question.reduced(), tag, sentVersion, session);
        }
        sent.whole++;
        return client.packer().pack(question, tag, sentVersion, session);
    }

    /** Returns whether a call must do without side hashes, because the storage seems to drop it with them. */
    private boolean missesSides(Call call, int sentVersion) {
        if (reduced && System.nanoTime() - reducedUntil > 0) {
            reduced = false;
        }
        // Updates are sent in the older version only, as long as the newer one is not known to be understood.
        boolean old = sentVersion == LONG_REPLY_VERSION && (version != 0 || !call.question.isUpdate());
        return old || reduced || call.attempt >= (takesSides ? 2 : 1);
    }

    /** Draws the conclusion from a reply whether the storage answers requests with side hashes. */
    private void learnAboutSides(Asked asked, ReplyLayout layout) {
        Sent sent = asked.in(layout);
        if (!asked.call.question.isEnriched()) {
            return;
        }
        if (sent.withoutSides == 0) {
            takesSides = true;
            reduced = false;
        } else if (sent.whole >= (takesSides ? 2 : 1)) {
            takesSides = false;
            reduced = true;
            reducedUntil = System.nanoTime() + REDUCED.toNanos();
            client.report(server.name() + " does not answer requests with side hashes of HTML; asking without them for "
                    + REDUCED.toMinutes() + " minutes");
        } else if (version == LONG_REPLY_VERSION && !reductionReported) {
            reductionReported = true;
            client.report(server.name() + " is older than side hashes of HTML; asking without them");
        }
    }

    /** Returns the TCP connection, and begins to connect if it is closed. */
    Stream stream(dev.weir.scan.rule.TcpOptions options) {
        if (stream == null) {
            stream = new Stream(client, this, options);
        }
        stream.connect();
        return stream;
    }

    /** Sends the calls of a broken TCP connection as datagrams. */
    void streamLost() {
        expected.values().stream().map(asked -> asked.call).toList().stream()
                .filter(call -> call.isOpen() && call.question.isCheck())
                .forEach(call -> send(call, false));
    }

    private void datagram(Question question, int tag, int sentVersion) {
        try {
            open().write(pack(question, tag, sentVersion));
            sendFailure = "";
        } catch (PortUnreachableException e) {
            refusedLater();
        } catch (IOException e) {
            // No route or no buffer: for the request, this equals a lost datagram.
            sendFailure = Reason.of(e);
            client.report("cannot send to " + server.name() + ": " + sendFailure);
        }
    }

    /** Reports the refusal later, because the sender is still iterating. */
    private void refusedLater() {
        client.loop().after(0, () -> server.refused(address));
    }

    private DatagramChannel open() throws IOException {
        DatagramChannel open = channel;
        if (open != null) {
            return open;
        }
        DatagramChannel fresh = DatagramChannel.open();
        try {
            fresh.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER);
            fresh.configureBlocking(false);
            bindAsBefore(fresh);
            fresh.connect(address);
            client.loop().register(fresh, SelectionKey.OP_READ, this);
        } catch (Throwable e) {
            fresh.close();
            throw e;
        }
        channel = fresh;
        return fresh;
    }

    /** Takes the port of an earlier process that left unconfirmed updates, so that the storage recognizes them. */
    private void bindAsBefore(DatagramChannel fresh) throws IOException {
        int before = client.portOfBefore(server.name(), key);
        if (before == 0) {
            return;
        }
        try {
            fresh.bind(new InetSocketAddress(before));
        } catch (BindException e) {
            client.report("the local port " + before + ", from which updates for " + server.name()
                    + " were sent, is taken: those that the storage has already count twice (" + e.getMessage() + ")");
        }
    }

    /** Returns the local port of the datagrams; 0 if none was sent. */
    int port() {
        DatagramChannel open = channel;
        return open == null || !open.isOpen() ? 0 : open.socket().getLocalPort();
    }

    @Override
    public void ready(SelectionKey key) throws IOException {
        DatagramChannel open = (DatagramChannel) key.channel();
        ByteBuffer buffer = client.receiving();
        for (int i = 0; i < BATCH; i++) {
            buffer.clear();
            try {
                if (open.read(buffer) <= 0) {
                    return;
                }
            } catch (PortUnreachableException e) {
                server.refused(address);
                continue;
            }
            received(buffer.array(), buffer.arrayOffset(), buffer.position());
        }
    }

    /** Reads one datagram or frame in place. */
    void received(byte[] bytes, int offset, int length) {
        int at = offset;
        int left = length;
        if (session != null) {
            Opened opened = client.box().openReply(session.shared(), bytes, offset, length);
            if (opened != Opened.OK) {
                echoed |= opened == Opened.ECHO;
                foreign |= opened != Opened.ECHO;
                return;
            }
            at = client.box().plainOffset();
            left = client.box().plainLength();
        }
        // A reply must fill the packet exactly, because a request is longer than some replies.
        Reply.decode(bytes, at, left).ifPresent(this::reply);
    }

    /** Returns the maximum length of a frame with a reply. */
    int longestFrame() {
        return Protocol.MAX_REPLY + (session == null ? 0 : Protocol.REPLY_HEADER);
    }

    private void reply(Reply reply) {
        Asked asked = expected.get(reply.tag());
        // A greeting is sent in both forms.
        if (reply.layout() == ReplyLayout.SHORT || (asked != null && !asked.isFor(reply.layout()))) {
            return;
        }
        Call call = asked == null ? null : asked.call;
        boolean hello = helloTag != 0 && reply.tag() == helloTag;
        // A reply that arrives too late is still a sign of life.
        server.answered(System.nanoTime(), address);
        if (call == null && !hello) {
            return;
        }
        if (asked != null) {
            learnAboutSides(asked, reply.layout());
        }
        if (reply.layout() == ReplyLayout.MULTI_FLAG) {
            version = MULTI_FLAG_VERSION;
        } else if (hello) {
            // The greeting went out in both forms. The known version stays unless the newer form remains unanswered.
            client.loop().after(SECOND_FORM, () -> settle(reply.tag()));
            return;
        }
        if (hello) {
            helloTag = 0;
            return;
        }
        if (call != null) {
            if (version == 0 && !call.question.isUpdate()) {
                if (parked.isEmpty()) {
                    client.loop().after(SECOND_FORM, this::unpark);
                }
                parked.add(reply);
                return;
            }
            call.exchange.answered(call, reply, server);
        }
    }

    private void settle(int tag) {
        if (helloTag == tag) {
            helloTag = 0;
            version = LONG_REPLY_VERSION;
        }
    }

    private void unpark() {
        if (version == 0) {
            version = LONG_REPLY_VERSION;
        }
        List<Reply> waiting = List.copyOf(parked);
        parked.clear();
        for (Reply reply : waiting) {
            Asked asked = expected.get(reply.tag());
            if (asked != null) {
                asked.call.exchange.answered(asked.call, reply, server);
            }
        }
    }

    void close() {
        try {
            if (channel != null) {
                channel.close();
                client.loop().channelChanged();
            }
        } catch (IOException e) {
            // The socket is closed in any case.
        }
        if (stream != null) {
            stream.close();
        }
    }
}
