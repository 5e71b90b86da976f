package dev.weir.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

import dev.weir.hash.MailHasher;
import dev.weir.http.crypt.HttpCrypt;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.storage.push.PushedUpdates;
import dev.weir.testkit.FreePort;
import dev.weir.wire.box.SharedKey;
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
        this.masterPair = KeyPair.generate(new SecureRandom());
        this.slavePair = KeyPair.generate(new SecureRandom());
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

    /** Pushes a batch to the slave with a key, as a master of Rspamd does. Returns the status of the answer. */
    int push(KeyPair key, String source, long revision, PushedUpdates.Element... elements) throws IOException {
        HttpCrypt crypt = new HttpCrypt(List.of(key), new SecureRandom());
        SharedKey shared = SharedKey.of(key.secret(), slaveKey()).orElseThrow();
        byte[] body = new PushedUpdates(revision, List.of(elements)).write();
        byte[] sealed = crypt.seal(shared, joined("POST /update_v1/" + source + " HTTP/1.0\r\nContent-Length: "
                + body.length + "\r\nUser-Agent: rspamd-1.9.4\r\n\r\n", body));
        byte[] reply;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), slavePort)) {
            socket.getOutputStream().write(joined("POST /post HTTP/1.0\r\nContent-Length: " + sealed.length
                    + "\r\nConnection: close\r\nKey: " + slaveKey().shortId() + "=" + key.publicKey().base32()
                    + "\r\n\r\n", sealed));
            reply = socket.getInputStream().readAllBytes();
        }
        int end = new String(reply, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n");
        String inner = new String(crypt.open(shared, Arrays.copyOfRange(reply, end + 4, reply.length)).orElseThrow(),
                StandardCharsets.ISO_8859_1);
        return Integer.parseInt(inner.split(" ", 3)[1]);
    }

    private static byte[] joined(String head, byte[] body) {
        byte[] start = head.getBytes(StandardCharsets.US_ASCII);
        byte[] all = Arrays.copyOf(start, start.length + body.length);
        System.arraycopy(body, 0, all, start.length, body.length);
        return all;
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
