package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Predicate;

import dev.weir.http.push.PushClient;
import dev.weir.storage.push.PushSettings;
import dev.weir.storage.push.PushTransport;
import dev.weir.storage.push.PushedUpdates;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.key.PublicKey;

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
        this.slavePort = Programs.freePort();
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

    /** Waits until the slave answers a mail as expected, and returns the answer. */
    String await(Path mail, Predicate<String> expected) throws IOException, InterruptedException {
        long until = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            String answer = Weir.run(scratch, "check", "--json", "-s", slave.address(), mail.toString()).out();
            if (expected.test(answer)) {
                return answer;
            }
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("the slave answers " + answer + "\n" + master.log() + slave.log());
            }
        }
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
