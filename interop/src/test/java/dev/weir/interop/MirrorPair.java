package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import dev.weir.hash.MailHasher;
import dev.weir.http.push.PushClient;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.push.PushTransport;
import dev.weir.storage.push.PushedUpdates;
import dev.weir.testkit.FreePort;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/** A master and its slave in the replication of Rspamd 1.3 to 1.9, two processes of {@code weir serve}. */
final class MirrorPair implements AutoCloseable {
    private static final long LIMIT_NANOS = 120_000_000_000L;

    private final Path scratch;
    private final KeyPair masterPair;
    private final KeyPair slavePair;
    private final String slaveOptions;
    private final int slavePort;
    private WeirStorage master;
    private WeirStorage slave;

    private MirrorPair(Path scratch, String slaveOptions) throws IOException {
        this.scratch = scratch;
        this.slaveOptions = slaveOptions;
        this.masterPair = KeyPair.generate(new java.security.SecureRandom());
        this.slavePair = KeyPair.generate(new java.security.SecureRandom());
        this.slavePort = FreePort.find();
        this.slave = startSlave();
        try {
            this.master = startMaster();
        } catch (Throwable e) {
            slave.close();
            throw e;
        }
    }

    /** Starts both. The options are further ones of the slave. */
    static MirrorPair start(Path scratch, String slaveOptions) throws IOException {
        return new MirrorPair(Files.createDirectories(scratch), slaveOptions);
    }

    private static String syncPair(KeyPair pair) {
        return pair.toUcl().replaceFirst("keypair", "sync_keypair");
    }

    private WeirStorage startSlave() throws IOException {
        return WeirStorage.configured(Files.writeString(scratch.resolve("slave.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:%d"; hashfile = "%s/slave/fuzzy.db"; sync = 0.2s;
                  allow_update = "127.0.0.1"; expire = 90d;
                  masters = "127.0.0.1"; master_key = "%s"; %s
                  %s
                }
                """.formatted(slavePort, scratch, masterPair.publicKey().base32(), slaveOptions,
                syncPair(slavePair))));
    }

    private WeirStorage startMaster() throws IOException {
        return WeirStorage.configured(Files.writeString(scratch.resolve("master.conf"), """
                worker "fuzzy" { bind_socket = "127.0.0.1:0"; hashfile = "%s/master/fuzzy.db"; sync = 0.2s;
                  allow_update = "127.0.0.1"; expire = 90d;
                  slave { name = "slave1"; hosts = "127.0.0.1:%d"; key = "%s"; }
                  %s
                }
                """.formatted(scratch, slavePort, slavePair.publicKey().base32(), syncPair(masterPair))));
    }

    WeirStorage master() {
        return master;
    }

    WeirStorage slave() {
        return slave;
    }

    void killMaster() throws IOException, InterruptedException {
        master.kill();
        master = startMaster();
    }

    void killSlave() throws IOException, InterruptedException {
        slave.kill();
        slave = startSlave();
    }

    /** Pushes a batch to the slave with a key, as a master does. */
    PushTransport.Reply push(KeyPair key, String source, long revision, PushedUpdates.Element... elements)
            throws IOException {
        return new PushClient(key).push(new PushSettings.Slave(source, java.util.List.of(), slaveKey()),
                new PushSettings.Host("127.0.0.1", slavePort),
                new PushedUpdates(revision, java.util.List.of(elements)).write());
    }

    PublicKey slaveKey() {
        return slavePair.publicKey();
    }

    KeyPair masterPair() {
        return masterPair;
    }

    private FuzzyCheck client(WeirStorage storage) throws IOException {
        return FuzzyCheck.open(new Settings(scratch).rules("""
                rule "pair" { servers = "%s"; algorithm = "mumhash"; timeout = 5s;
                  fuzzy_map { A { flag = 1; max_score = 1; } B { flag = 5; max_score = 1; }
                    C { flag = 10; max_score = 1; } } }
                """.formatted(storage.address())).sound(), MailHasher.standard());
    }

    /** Teaches one of the two a mail, or removes it. */
    void learn(WeirStorage storage, Path mail, LearnRequest request) throws IOException {
        try (FuzzyCheck client = client(storage)) {
            assertThat(client.learn(Files.readAllBytes(mail), request).join().failure()).isEmpty();
        }
    }

    /** Waits until the slave has a mail with these values by flag. */
    void await(Path mail, Map<Long, Integer> expected) throws IOException {
        byte[] bytes = Files.readAllBytes(mail);
        try (FuzzyCheck client = client(slave)) {
            Awaitility.await("the slave has it").atMost(LIMIT_NANOS, TimeUnit.NANOSECONDS).untilAsserted(() -> {
                Map<Long, Integer> values = new TreeMap<>();
                client.check(bytes, ScanContext.NONE).join().matches()
                        .forEach(match -> values.put(match.flag(), match.value()));
                assertThat(values).as("%s%s", master.log(), slave.log()).isEqualTo(expected);
            });
        }
    }

    /** Waits until the log of the slave has some words, and returns the log. */
    String awaitLog(String words) {
        return Awaitility.await(words).atMost(LIMIT_NANOS, TimeUnit.NANOSECONDS)
                .until(slave::log, log -> log.contains(words));
    }

    @Override
    public void close() {
        try {
            master.close();
        } finally {
            slave.close();
        }
    }
}
