package dev.weir.storage.server;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import dev.weir.net.AddressBits;
import dev.weir.storage.Samples;
import dev.weir.storage.access.Access;
import dev.weir.storage.access.Gate;
import dev.weir.storage.access.Networks;
import dev.weir.storage.access.Source;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.KeyedHash;
import dev.weir.storage.queue.UpdateQueue;
import dev.weir.storage.stats.Statistics;
import dev.weir.wire.Box;
import dev.weir.wire.ClientSession;
import dev.weir.wire.KeyPair;

/** A handler without a socket and without a writer: what it queues stays queued. */
final class HandlerFixture {
    private static final long LOOPBACK = AddressBits.mapped(0x7f000001);

    final HashIndex index = new HashIndex(new KeyedHash(1, 2), 0);
    final UpdateQueue queue;
    final Counters counters = new Counters();
    final CommandHandler handler;
    final ClientSession session;
    final Box clientBox = new Box(new SecureRandom());
    final byte[] reply = new byte[DatagramHandler.MAX_REPLY];
    final AtomicInteger lateReplies = new AtomicInteger();
    final Peer peer = new Peer() {
        @Override
        public InetAddress address() {
            return InetAddress.ofLiteral("127.0.0.1");
        }

        @Override
        public int port() {
            return 1_234;
        }

        @Override
        public void describe(Source target) {
            target.set(0, LOOPBACK, false);
        }

        @Override
        public ReturnPath keep() {
            return (bytes, length) -> lateReplies.incrementAndGet();
        }
    };

    HandlerFixture(int queueCapacity, boolean encryptedOnly) {
        SecureRandom random = new SecureRandom();
        KeyPair server = KeyPair.generate(random);
        queue = new UpdateQueue(queueCapacity);
        Access access = Access.DEFAULT.withKeyPairs(List.of(server)).withEncryptedOnly(encryptedOnly)
                .withUpdateSources(Networks.of(StorageConfig.loopback()));
        Statistics statistics = new Statistics(1);
        handler = new CommandHandler(new CommandHandler.Shared(index, queue,
                new Gate(access, statistics, InstantSource.system(), 1),
                new LateReplies(random, statistics.newRecorder()), 0, InstantSource.system(), counters, statistics),
                new Box(random),
                new AgreementBudget(() -> 0));
        session = ClientSession.of(KeyPair.generate(random), server.publicKey()).orElseThrow();
        index.apply(Samples.write(1, 3, 10, 100, Samples.signature(1)));
        index.apply(Samples.write(1, 4, 5, 100, null));
    }

    int handle(byte[] datagram, int length) {
        return handler.handle(datagram, length, peer, reply);
    }

    long count(Counter counter) {
        return counters.snapshot().getOrDefault(counter, 0L);
    }
}
