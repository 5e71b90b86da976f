package dev.weir.scan;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import dev.weir.wire.Box;
import dev.weir.wire.ClientSession;
import dev.weir.wire.CommandWriter;
import dev.weir.wire.KeyPair;
import dev.weir.wire.Opened;
import dev.weir.wire.Protocol;
import dev.weir.wire.PublicKey;
import dev.weir.wire.Reply;
import dev.weir.wire.ReplyLayout;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks one storage over UDP, in plain text or encrypted, and repeats what was not answered.
 *
 * <p>One client serves any number of threads, virtual ones too: requests go out over one socket, and one thread of the
 * client matches the replies to the requests by their tags. The pauses between attempts are Rspamd's
 * (spec/check-module.md section 3.4).
 *
 * <p><b>Which version is sent.</b> Rspamd 4 and Weir answer version byte {@code 0x14} with all flags of a hash; Rspamd 3
 * drops it and answers {@code 0x04}. Until the first reply the client does not know, so a check goes out in both forms at
 * once; updates go out as {@code 0x04}, which everybody understands, because two copies would count twice.
 */
public final class StorageClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StorageClient.class);
    private static final int MULTI_FLAG_VERSION = 0x14;
    private static final int LONG_REPLY_VERSION = 0x04;
    private static final int MAX_REQUEST = Protocol.REQUEST_HEADER + Protocol.SHINGLED_COMMAND;
    private static final int SOCKET_BUFFER_BYTES = 1 << 20;

    /** How long a long reply waits for the multi-flag reply that may be right behind it. */
    private static final Duration SECOND_FORM = Duration.ofMillis(20);

    private final StorageAddress address;
    private final ClientOptions options;
    private final DatagramChannel channel;
    private final @Nullable ClientSession session;
    private final SecureRandom random;
    private final Box sealing;
    private final CommandWriter writer = new CommandWriter();
    private final ReentrantLock sending = new ReentrantLock();
    private final Map<Integer, Pending> pending = new ConcurrentHashMap<>();
    private final Thread receiver;

    /** Zero until a reply told which version the storage understands. */
    private volatile int version;

    /** Whether something came back that was sent. */
    private volatile boolean echoed;

    private StorageClient(StorageAddress address, ClientOptions options, DatagramChannel channel,
            @Nullable ClientSession session, SecureRandom random) {
        this.address = address;
        this.options = options;
        this.channel = channel;
        this.session = session;
        this.random = random;
        this.sealing = new Box(random, 1);
        this.receiver = Thread.ofPlatform().name("weir-replies-" + address).daemon().unstarted(this::receive);
    }

    /**
     * Opens a socket to the storage; nothing is sent yet.
     *
     * @throws StorageException if the host is not known, the key is unusable or no socket can be had
     */
    public static StorageClient open(StorageAddress address, ClientOptions options) throws StorageException {
        final InetSocketAddress resolved = address.resolve();
        final SecureRandom random = new SecureRandom();
        final ClientSession session = options.encryptionKey() == null
                ? null
                : session(random, options.encryptionKey());
        final DatagramChannel channel;
        try {
            channel = DatagramChannel.open();
            channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BUFFER_BYTES);
            channel.connect(resolved);
        } catch (final IOException e) {
            throw new StorageException(StorageException.Kind.NO_ANSWER,
                    "no socket to " + address + ": " + e.getMessage(), e);
        }
        final StorageClient client = new StorageClient(address, options, channel, session, random);
        client.receiver.start();
        return client;
    }

    private static ClientSession session(SecureRandom random, PublicKey server) throws StorageException {
        final Optional<ClientSession> session = ClientSession.of(KeyPair.generate(random), server);
        if (session.isEmpty()) {
            throw new StorageException(StorageException.Kind.WRONG_KEY,
                    "the encryption key is a point of small order and protects nothing");
        }
        return session.get();
    }

    /** The storage that is asked. */
    public StorageAddress address() {
        return address;
    }

    /**
     * Measures how long the storage takes to answer.
     *
     * <p>To Rspamd before 3.8 a ping would be an update of an unknown kind, so a storage that does not answer a stat in
     * the form of Rspamd 4 is not pinged: the time is then that of the stat.
     *
     * @throws StorageException if it does not answer or refuses to
     */
    public Duration ping() throws StorageException {
        final long start = System.nanoTime();
        count();
        final long answered = System.nanoTime();
        if (version != MULTI_FLAG_VERSION) {
            return Duration.ofNanos(answered - start);
        }
        final Reply reply = exchange(List.of(Request.ping())).getFirst();
        if (!reply.isMatch()) {
            throw refusal(reply.value());
        }
        return Duration.ofNanos(System.nanoTime() - answered);
    }

    /**
     * How many digests the storage holds.
     *
     * @throws StorageException if it does not answer or refuses to
     */
    public long count() throws StorageException {
        final Reply reply = exchange(List.of(Request.stat())).getFirst();
        // A count of zero has probability zero too, so only a value that is an error code tells a refusal.
        if (!reply.isMatch() && reply.value() != 0) {
            throw refusal(reply.value());
        }
        return reply.count();
    }

    /**
     * Sends the requests all at once and waits for their replies, in their order.
     *
     * @throws StorageException if one of them is not answered after all attempts; answers that did come are lost then
     */
    List<Reply> exchange(List<Request> requests) throws StorageException {
        if (requests.isEmpty()) {
            return List.of();
        }
        final Exchange exchange = new Exchange();
        final List<Pending> waiting = new ArrayList<>(requests.size());
        for (final Request request : requests) {
            waiting.add(register(request, exchange));
        }
        try {
            boolean refused = false;
            for (int attempt = 0; attempt <= options.retransmits(); attempt++) {
                if (attempt > 0 && exchange.await(waiting, pause(attempt))) {
                    break;
                }
                for (final Pending request : waiting) {
                    if (request.reply == null) {
                        send(request);
                    }
                }
                final boolean done = exchange.await(waiting, options.timeout());
                refused = exchange.takeRefused();
                if (done) {
                    break;
                }
            }
            final List<Reply> replies = new ArrayList<>(waiting.size());
            for (final Pending request : waiting) {
                final Reply reply = request.reply;
                if (reply == null) {
                    throw noAnswer(refused);
                }
                replies.add(reply);
            }
            return replies;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException(StorageException.Kind.NO_ANSWER, "interrupted while waiting for " + address, e);
        } finally {
            for (final Pending request : waiting) {
                pending.remove(request.tag, request);
            }
        }
    }

    /** The pause before the n-th retransmit: random, growing, never below a tenth of a second. */
    private Duration pause(int attempt) {
        final double timeout = options.timeout().toNanos() / 1e9;
        final double base = Math.min(Math.max(0.1 * timeout, 0.1) * attempt, 0.5);
        final double pause = Math.max(0.1, base / 2 + ThreadLocalRandom.current().nextDouble() * base / 2);
        return Duration.ofNanos((long) (pause * 1e9));
    }

    private Pending register(Request request, Exchange exchange) {
        while (true) {
            final Pending candidate = new Pending(request, random.nextInt(), exchange);
            if (pending.putIfAbsent(candidate.tag, candidate) == null) {
                return candidate;
            }
        }
    }

    private void send(Pending request) throws StorageException {
        final int known = version;
        if (known != 0) {
            send(request, known);
            return;
        }
        if (request.request.isUpdate()) {
            send(request, LONG_REPLY_VERSION);
        } else {
            send(request, MULTI_FLAG_VERSION);
            send(request, LONG_REPLY_VERSION);
        }
    }

    private void send(Pending request, int sentVersion) throws StorageException {
        request.in(sentVersion);
        final byte[] bytes = new byte[MAX_REQUEST];
        final int at = session == null ? 0 : Protocol.REQUEST_HEADER;
        sending.lock();
        try {
            writer.begin(bytes, at, sentVersion, request.request.command())
                    .flag(request.request.flag())
                    .value(request.request.value())
                    .tag(request.tag)
                    .digest(request.request.digest(), 0);
            if (request.request.shingles().length != 0) {
                writer.shingles(request.request.shingles());
            }
            final int plain = writer.end();
            final int length = session == null ? plain : sealing.sealRequest(session, bytes, 0, plain);
            channel.write(ByteBuffer.wrap(bytes, 0, length));
        } catch (final PortUnreachableException e) {
            request.exchange.refuse();
        } catch (final IOException e) {
            throw new StorageException(StorageException.Kind.NO_ANSWER,
                    "cannot send to " + address + ": " + e.getMessage(), e);
        } finally {
            sending.unlock();
        }
    }

    private void receive() {
        final byte[] bytes = new byte[Protocol.REPLY_HEADER + Protocol.MAX_REPLY + 1];
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        final Box opening = new Box(random, 1);
        while (true) {
            buffer.clear();
            try {
                channel.read(buffer);
            } catch (final PortUnreachableException e) {
                pending.values().forEach(request -> request.exchange.refuse());
                continue;
            } catch (final ClosedChannelException e) {
                return;
            } catch (final IOException e) {
                // What an error of the socket means for a request shows in its time-out.
                continue;
            }
            try {
                received(opening, bytes, buffer.position());
            } catch (final RuntimeException e) {
                // One packet must not end the thread that all requests wait for.
                LOG.debug("what {} sent could not be read", address, e);
            }
        }
    }

    private void received(Box opening, byte[] bytes, int received) {
        int offset = 0;
        int length = received;
        if (session != null) {
            final Opened opened = opening.openReply(session.shared(), bytes, 0, length);
            if (opened != Opened.OK) {
                if (opened == Opened.ECHO) {
                    echoed = true;
                }
                return;
            }
            offset = opening.plainOffset();
            length = opening.plainLength();
        }
        Reply.decode(bytes, offset, length).ifPresent(this::deliver);
    }

    private void deliver(Reply reply) {
        final Pending request = pending.get(reply.tag());
        if (request == null || !request.isFor(reply.layout())) {
            return;
        }
        if (reply.layout() == ReplyLayout.MULTI_FLAG) {
            version = MULTI_FLAG_VERSION;
        }
        request.exchange.answer(request, reply);
    }

    private StorageException noAnswer(boolean refused) {
        final int tries = options.retransmits() + 1;
        final String attempts = tries + (tries == 1 ? " try" : " tries");
        if (refused) {
            return new StorageException(StorageException.Kind.NO_ANSWER,
                    "nothing listens at " + address + " (" + attempts + "): is the storage running?");
        }
        if (echoed) {
            return new StorageException(StorageException.Kind.NO_ANSWER,
                    address + " sends back what it is asked, which is no answer: is it a storage?");
        }
        if (session != null && answersInPlainText()) {
            return new StorageException(StorageException.Kind.WRONG_KEY, "the storage at " + address
                    + " answers, but not to what is encrypted with this key: is it the public key of that storage?");
        }
        return new StorageException(StorageException.Kind.NO_ANSWER,
                "no answer from " + address + " (" + attempts + " of " + options.timeout().toMillis() + " ms)");
    }

    /** Asks once without encryption, to tell a storage that is away from one that has another key. */
    private boolean answersInPlainText() {
        try (StorageClient plain = open(address, new ClientOptions(options.timeout(), 0, null))) {
            plain.exchange(List.of(Request.stat()));
            return true;
        } catch (final StorageException e) {
            return false;
        }
    }

    /** What an error code means, as the sentence that a person reads. */
    StorageException refusal(int code) {
        return new StorageException(StorageException.Kind.REFUSED,
                "the storage at " + address + " refuses: " + Refusals.describe(code));
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (final IOException e) {
            // The socket is gone either way, and nothing was promised about it.
        }
    }

    /** A request that has no reply yet. */
    private static final class Pending {
        final Request request;
        final int tag;
        final Exchange exchange;

        /** Guarded by the lock of the exchange for writing. */
        volatile @Nullable Reply reply;

        /** In which forms it was sent; before it is, so that whoever reads an answer sees it. */
        private volatile boolean multiFlag;
        private volatile boolean longReply;

        Pending(Request request, int tag, Exchange exchange) {
            this.request = request;
            this.tag = tag;
            this.exchange = exchange;
        }

        void in(int sentVersion) {
            if (sentVersion == MULTI_FLAG_VERSION) {
                multiFlag = true;
            } else {
                longReply = true;
            }
        }

        boolean isFor(ReplyLayout layout) {
            return layout == ReplyLayout.MULTI_FLAG ? multiFlag : layout == ReplyLayout.LONG && longReply;
        }
    }

    /** The requests of one call, and the thread that waits for their replies. */
    private final class Exchange {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private boolean refused;

        /** Waits until all are answered, the system reports that nobody listens, or the time is over. */
        boolean await(List<Pending> requests, Duration time) throws InterruptedException {
            lock.lock();
            try {
                long left = time.toNanos();
                while (!allAnswered(requests)) {
                    if (left <= 0 || refused) {
                        return false;
                    }
                    left = changed.awaitNanos(left);
                }
                // Without this the first check would never learn of further flags when its second copy was faster.
                long grace = SECOND_FORM.toNanos();
                while (version == 0 && !requests.getFirst().request.isUpdate() && grace > 0) {
                    grace = changed.awaitNanos(grace);
                }
                if (version == 0 && !requests.getFirst().request.isUpdate()) {
                    version = LONG_REPLY_VERSION;
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        private boolean allAnswered(List<Pending> requests) {
            for (final Pending request : requests) {
                if (request.reply == null) {
                    return false;
                }
            }
            return true;
        }

        void answer(Pending request, Reply reply) {
            lock.lock();
            try {
                final Reply earlier = request.reply;
                if (earlier == null || earlier.layout().size() < reply.layout().size()) {
                    request.reply = reply;
                }
                changed.signal();
            } finally {
                lock.unlock();
            }
        }

        void refuse() {
            lock.lock();
            try {
                refused = true;
                changed.signal();
            } finally {
                lock.unlock();
            }
        }

        boolean takeRefused() {
            lock.lock();
            try {
                final boolean was = refused;
                refused = false;
                return was;
            } finally {
                lock.unlock();
            }
        }
    }
}
