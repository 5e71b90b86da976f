package dev.weir.storage.push;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Networks;
import dev.weir.model.Update;
import dev.weir.storage.DataFolder;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.StartProgress;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.transfer.carry.CarryOver;
import dev.weir.wire.key.KeyPair;

/** A storage of these tests with its part in the replication, without sockets. */
final class PushedNode implements AutoCloseable {
    static final InetAddress MASTER = InetAddress.ofLiteral("192.0.2.7");
    static final KeyPair PAIR = KeyPair.generate(new SecureRandom());

    final StorageEngine engine;
    final PushNode push;

    private PushedNode(StorageEngine engine, PushNode push) {
        this.engine = engine;
        this.push = push;
    }

    static PushSettings slave(Map<Integer, Integer> flags) {
        return new PushSettings(PAIR, false, Networks.dualStack("192.0.2.0/24"), null, flags, Duration.ofSeconds(10),
                List.of());
    }

    static PushSettings master(String slave) {
        // Nobody listens there, so that nothing proves what a slave of Rspamd did.
        return master(slave, 9);
    }

    static PushSettings master(String slave, int port) {
        return new PushSettings(PAIR, false, null, null, Map.of(), Duration.ofSeconds(10),
                List.of(new PushSettings.Slave(slave, List.of(new PushSettings.Host("127.0.0.1", port)),
                        PAIR.publicKey())));
    }

    /** Opens a storage without its replication, which a test starts. */
    static PushedNode open(Path folder, PushSettings settings, PushTransport transport) throws Exception {
        return open(folder, settings, transport, EngineConfig.DEFAULT);
    }

    static PushedNode open(Path folder, PushSettings settings, PushTransport transport, EngineConfig config)
            throws Exception {
        Files.createDirectories(folder);
        Optional<Map<String, Long>> begun = PushNode.beforeCarryOver(folder);
        StorageEngine engine = StorageEngine.start(config, CarryOver.open(folder,
                Optional.of(DataFolder.database(folder)).filter(Files::exists), StartProgress.NONE));
        try {
            return new PushedNode(engine, new PushNode(settings, folder, begun, engine, transport,
                    Duration.ofMillis(1), new SlaveFeed.Patience(Duration.ofMillis(300), Duration.ofMillis(5),
                            Duration.ofMillis(50))));
        } catch (Throwable e) {
            engine.close();
            throw e;
        }
    }

    static PushedNode started(Path folder, PushSettings settings, PushTransport transport) throws Exception {
        PushedNode node = open(folder, settings, transport);
        node.push.start((_, _) -> {});
        return node;
    }

    PushIntake intake() {
        return push.intake().orElseThrow();
    }

    /** Takes a batch of Rspamd, which does not say its place. */
    PushIntake.Answer take(String source, byte[] body) {
        return intake().take(source, MASTER, PAIR.publicKey(), body, Optional.empty());
    }

    /** Takes a batch of a master, and returns the answer as the transport does. */
    PushTransport.Reply deliver(String source, byte[] body, BatchSpan span) {
        PushIntake.Answer answer = intake().take(source, MASTER, PAIR.publicKey(), body, Optional.of(span));
        int status = switch (answer.result()) {
            case APPLIED -> 200;
            case OLDER -> 409;
            case MALFORMED -> 400;
            case FAILED -> 503;
        };
        return new PushTransport.Reply(status, answer.revision(), answer.place());
    }

    void write(Digest digest, int flag, long weight) {
        engine.apply(new Update.Write(digest, flag, weight, engine.hashes().now() / 1_000, null)).join();
    }

    /** Returns the flags of a hash with their values. */
    Map<Integer, Long> flags(Digest digest) {
        Map<Integer, Long> flags = new TreeMap<>();
        for (FlagValue flag : engine.find(digest)) {
            flags.put(flag.flag(), flag.value());
        }
        return flags;
    }

    static Digest digest(int number) {
        byte[] bytes = new byte[Digest.BYTES];
        bytes[0] = (byte) number;
        bytes[1] = (byte) (number >> 8);
        bytes[63] = 1;
        return Digest.of(bytes);
    }

    static Path batchFile(Path folder) {
        return folder.resolve(DataFolder.PUSHED_BATCH);
    }

    @Override
    public void close() {
        push.close();
        engine.close();
    }
}
