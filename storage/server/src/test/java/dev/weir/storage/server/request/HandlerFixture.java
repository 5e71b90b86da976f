package dev.weir.storage.server.request;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import dev.weir.model.AddressBits;
import dev.weir.model.KeyedHash;
import dev.weir.model.Networks;
import dev.weir.storage.Samples;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.gate.Gate;
import dev.weir.storage.access.gate.Source;
import dev.weir.storage.engine.LiveHashes;
import dev.weir.storage.hits.HitSampler;
import dev.weir.storage.hooks.HooksInForce;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.queue.Role;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Timing;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.queue.Waiting;
import dev.weir.storage.server.StorageConfig;
import dev.weir.storage.server.reply.DatagramHandler;
import dev.weir.storage.server.reply.LateReplies;
import dev.weir.storage.server.reply.Peer;
import dev.weir.storage.server.reply.ReturnPath;
import dev.weir.storage.server.stats.Counter;
import dev.weir.storage.server.stats.Counters;
import dev.weir.storage.stats.Statistics;
import dev.weir.wire.Protocol;
import dev.weir.wire.box.Box;
import dev.weir.wire.box.ClientSession;
import dev.weir.wire.box.Opened;
import dev.weir.wire.key.KeyPair;

/**
 * A handler without sockets and without a writer thread. Updates stay in the queue unless {@link #exchange} answers
 * them.
 */
public final class HandlerFixture {
    static final KeyPair SERVER = KeyPair.generate(new SecureRandom());
    private static final KeyPair CLIENT = KeyPair.generate(new SecureRandom());

    final HashIndex index;
    public final UpdateQueue queue;
    public final Counters counters = new Counters();
    final Statistics statistics = new Statistics(new KeyedHash(1, 1));
    final Gate gate;
    public final CommandHandler handler;
    final ClientSession session = ClientSession.of(CLIENT, SERVER.publicKey()).orElseThrow();
    final Box clientBox = new Box(new SecureRandom());
    final byte[] reply = new byte[DatagramHandler.MAX_REPLY];
    final AtomicInteger lateReplies = new AtomicInteger();
    private final AtomicReference<byte[]> lateReply = new AtomicReference<>(new byte[0]);
    private InetAddress address = InetAddress.ofLiteral("127.0.0.1");
    private long high = AddressBits.high(address);
    private long low = AddressBits.low(address);
    private boolean stream;
    final Peer peer = new Peer() {
        @Override
        public InetAddress address() {
            return address;
        }

        @Override
        public int port() {
            return 1_234;
        }

        @Override
        public void describe(Source target) {
            target.set(high, low, stream);
        }

        @Override
        public ReturnPath keep() {
            return (bytes, length) -> {
                lateReplies.incrementAndGet();
                lateReply.set(Arrays.copyOf(bytes, length));
            };
        }
    };

    public HandlerFixture(int queueCapacity, boolean encryptedOnly) {
        this(queueCapacity, InstantSource.system(), Access.DEFAULT.withKeyPairs(List.of(SERVER))
                .withEncryptedOnly(encryptedOnly).withUpdateSources(Networks.perFamily(StorageConfig.loopback())));
    }

    HandlerFixture(int queueCapacity, InstantSource clock, Access access) {
        this(queueCapacity, clock, access, sampleIndex());
    }

    HandlerFixture(int queueCapacity, InstantSource clock, Access access, HashIndex index) {
        this.index = index;
        SecureRandom random = new SecureRandom();
        queue = new UpdateQueue(queueCapacity);
        gate = new Gate(access, statistics, clock, new KeyedHash(1, 1));
        Timing timing = new Timing(Duration.ZERO, Duration.ofSeconds(1));
        handler = new CommandHandler(new CommandHandler.Shared(
                new LiveHashes(index, queue, timing, clock, new StorageClock(clock, System::nanoTime, timing),
                        new Role(Role.Part.LEADER), null),
                gate, new LateReplies(random, statistics.newRecorder()), new HooksInForce(), counters, statistics,
                new AnnouncedSubmitters(), new HitSampler(), null),
                new Box(random), new AgreementBudget(() -> 0, new KeyedHash(1, 2)));
    }

    /** Returns an index that contains one digest with flags 3 and 4. */
    static HashIndex sampleIndex() {
        HashIndex index = new HashIndex(new KeyedHash(1, 2));
        index.apply(Samples.write(1, 3, 10, 100, Samples.signature(1)));
        index.apply(Samples.write(1, 4, 5, 100, null));
        return index;
    }

    /** Sets the source of the following requests. */
    public HandlerFixture from(String source, boolean overConnection) {
        address = InetAddress.ofLiteral(source);
        high = AddressBits.high(address);
        low = AddressBits.low(address);
        stream = overConnection;
        return this;
    }

    int handle(byte[] datagram, int length) {
        return handler.handle(datagram, length, peer, reply);
    }

    /** Encrypts a request with {@link #session}. */
    byte[] boxed(byte[] plain) {
        byte[] bytes = new byte[Protocol.REQUEST_HEADER + plain.length];
        System.arraycopy(plain, 0, bytes, Protocol.REQUEST_HEADER, plain.length);
        clientBox.sealRequest(session, bytes, 0, plain.length);
        return bytes;
    }

    /** Sends a request, encrypted or not, and returns the plaintext reply. Updates are confirmed but not stored. */
    Optional<byte[]> exchange(byte[] plain, boolean encrypted) {
        byte[] request = encrypted ? boxed(plain) : plain.clone();
        byte[] answer = Arrays.copyOf(reply, handle(request, request.length));
        if (answer.length == 0) {
            lateReply.set(answer);
            Waiting.in(queue).forEach(update -> update.outcome().stored());
            answer = lateReply.get();
        }
        if (answer.length == 0 || !encrypted) {
            return Optional.of(answer).filter(bytes -> bytes.length > 0);
        }
        if (clientBox.openReply(session.shared(), answer, 0, answer.length) != Opened.OK) {
            throw new IllegalStateException("the client cannot decrypt the reply");
        }
        return Optional.of(Arrays.copyOfRange(answer, clientBox.plainOffset(),
                clientBox.plainOffset() + clientBox.plainLength()));
    }

    public long count(Counter counter) {
        return counters.snapshot().getOrDefault(counter, 0L);
    }
}
