package dev.weir.interop;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.weir.hash.FuzzyHash;
import dev.weir.hash.MailHasher;
import dev.weir.hash.kind.HashKind;
import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.KeyedHash;
import dev.weir.model.Networks;
import dev.weir.model.Signature;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.FuzzyCheckOptions;
import dev.weir.scan.LearnReport;
import dev.weir.scan.LearnRequest;
import dev.weir.scan.ScanContext;
import dev.weir.scan.lua.LuaConditions;
import dev.weir.scan.rule.FuzzyCheckSettings;
import dev.weir.scan.rule.RuleSettings;
import dev.weir.scan.score.Curve;
import dev.weir.storage.StoredHash;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.push.PushedUpdates;
import dev.weir.storage.server.StorageConfig;
import dev.weir.testkit.DatagramPeer;
import dev.weir.testkit.FreePort;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.frame.FrameReader;
import dev.weir.wire.frame.FrameWriter;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What both editions of the tutorial promise, with Weir's server behind {@code rspamc} and a Rspamd 3.4 beside it. */
final class TutorialDocument implements AutoCloseable {
    private static final String SERVERS = "servers = \"127.0.0.1:9\"; algorithm = \"mumhash\"; max_score = 20; "
            + "fuzzy_map { A { flag = 1; max_score = 20 } B { flag = 2; max_score = 20 } "
            + "C { flag = 3; max_score = 20 } }";

    /** The sample of a key pair in the tutorial. */
    private static final String SAMPLE_PAIR = """
            keypair {
                pubkey = "og3snn8s37znxz53mr5yyyzktt3d5uczxecsp3kkrs495p4iaxzy";
                privkey = "o6wnij9r4wegqjnd46dyifwgf5gwuqguqxzntseectroq7b3gwty";
                id = "f5yior1ag3csbzjiuuynff9tczknoj9s9b454kuonqknthrdbwbqj63h3g9dht97fhp4a5jgof1eiifshcsnnrbj73ak8hkq6sbrhed";
                encoding = "base32";
                algorithm = "curve25519";
                type = "kex";
            }
            """;

    /** Hashes in the index that is measured. */
    private static final int HASHES = 200_000;

    /** Where Debian's Rspamd has its data and its control socket. */
    private static final Path RSPAMD_DATA = Path.of("/var/lib/rspamd");

    /** Where the digest begins in a command. */
    private static final int DIGEST = 12;

    private final Path scratch;
    private final Settings settings;
    private final Supplier<Servers> servers;
    private @Nullable MirrorPair started;

    TutorialDocument(Path scratch, Supplier<Servers> servers) {
        this.scratch = scratch;
        this.settings = new Settings(scratch);
        this.servers = servers;
    }

    /** The programs that a test has started. */
    record Servers(WeirHttp weir, RspamdPeer rspamd, Mails mails) {
        void close() {
            weir.close();
            rspamd.close();
        }

        static Servers start(Path scratch) throws Exception {
            Path data = Files.createDirectory(scratch.resolve("data"));
            Path file = scratch.resolve("weir.conf");
            Files.writeString(file, configuration(data, FreePort.find(), FreePort.find()));
            int port = FreePort.find();
            RspamdPeer rspamd = RspamdPeer.start(scratch, new RspamdPeer.Setup(port, null,
                    new RspamdPeer.OwnStorage(port, RspamdPeer.sqlite(scratch.resolve("theirs.db")), null)));
            try {
                return new Servers(WeirHttp.configured(scratch, file), rspamd, Mails.in(scratch));
            } catch (Exception e) {
                rspamd.close();
                throw e;
            }
        }
    }

    /** All promises of an edition. */
    Promises promises() {
        Promises promises = new Promises();
        sources(promises);
        storage(promises);
        plugin(promises);
        conditions(promises);
        replication(promises);
        testing(promises, scratch.resolve("data").resolve("rspamd.sock"));
        return promises;
    }

    /** The configuration of the samples: a storage, a controller, the rule "local" and its group. */
    static String configuration(Path data, int storage, int http) {
        return """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%2$d"; count = 4; backend = "sqlite"; database = "%1$s/fuzzy.db";
                  expire = 90d; sync = 1min; allow_update = ["127.0.0.1"];
                }
                worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = ["127.0.0.1"]; }
                options { control_socket = "%1$s/rspamd.sock mode=0600"; }
                fuzzy_check {
                %4$s}
                group "fuzzy" {
                %5$s}
                """.formatted(data, storage, http, LOCAL.replace("localhost:11335", "127.0.0.1:" + storage), GROUP);
    }

    private static final String LOCAL = """
            rule "local" {
                servers = "localhost:11335";
                symbol = "LOCAL_FUZZY_UNKNOWN";
                mime_types = ["*"];
                max_score = 20.0;
                read_only = no;
                skip_unknown = yes;
                algorithm = "mumhash";
                short_text_direct_hash = true;
                fuzzy_map = {
                    LOCAL_FUZZY_DENIED {
                        max_score = 20.0;
                        flag = 11;
                    }
                    LOCAL_FUZZY_PROB {
                        max_score = 10.0;
                        flag = 12;
                    }
                    LOCAL_FUZZY_WHITE {
                        max_score = 2.0;
                        flag = 13;
                    }
                }
            }
            """;

    private static final String GROUP = """
            max_score = 12.0;
            symbols = {
                "LOCAL_FUZZY_UNKNOWN" {
                    weight = 5.0;
                    description = "Generic fuzzy hash match";
                }
                "LOCAL_FUZZY_DENIED" {
                    weight = 12.0;
                    description = "Denied fuzzy hash";
                }
                "LOCAL_FUZZY_PROB" {
                    weight = 5.0;
                    description = "Probable fuzzy hash";
                }
                "LOCAL_FUZZY_WHITE" {
                    weight = -2.1;
                    description = "Whitelisted fuzzy hash";
                }
            }
            """;

    private WeirHttp weir() {
        return servers.get().weir();
    }

    private RspamdPeer rspamd() {
        return servers.get().rspamd();
    }

    private Mails mails() {
        return servers.get().mails();
    }

    private String campaign() {
        return mails().campaign().toString();
    }

    private String unrelated() {
        return mails().unrelated().toString();
    }

    private void sources(Promises promises) {
        promises.row("exact match in storage", "hashes an attachment: one digest, no shingles", () -> {
            RuleSettings rule = settings.rule("rule { " + SERVERS + " mime_types = [\"*\"]; }");
            String mail = "Content-Type: application/x-thing; name=a.bin\nContent-Disposition: attachment\n\n"
                    + "abcdefgh".repeat(300) + "\n";
            assertThat(Settings.hashes(mail.getBytes(StandardCharsets.UTF_8), rule)).singleElement()
                    .satisfies(hash -> assertThat(hash.hasShingles()).isFalse());
        }).row("add this weight to the stored", "learns twice with rspamc and reads the sum", () -> {
            weir().rspamc("-f", "13", "-w", "3", "fuzzy_add", unrelated()).succeeded();
            weir().rspamc("-f", "13", "-w", "4", "fuzzy_add", unrelated()).succeeded();
            assertThat(Weir.run(scratch, "check", "--json", "-s", "127.0.0.1:" + weir().storage(),
                    unrelated()).out()).contains("\"value\":7");
        }).row("not possible to restore the original text", "no file of the storage has one of the longer words of a "
                + "learned mail", () -> {
                    weir().rspamc("-f", "13", "-w", "1", "fuzzy_add", campaign()).succeeded();
                    String mail = Files.readString(mails().campaign(), StandardCharsets.ISO_8859_1);
                    Set<String> words = Pattern.compile("[a-z]{9,}").matcher(mail.substring(mail.indexOf("\n\n")))
                            .results().map(MatchResult::group).collect(Collectors.toSet());
                    assertThat(words).hasSizeGreaterThan(10);
                    try (Stream<Path> files = Files.walk(scratch.resolve("data"))) {
                        for (Path file : files.filter(Files::isRegularFile).toList()) {
                            assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).as("%s", file)
                                    .doesNotContain(words);
                        }
                    }
                    weir().rspamc("-f", "13", "fuzzy_del", campaign()).succeeded();
                }).differs("ignore hashes with weights that are less",
                        "a hash below the threshold is a hit with its value by "
                                + "the curve, as in Rspamd; with score_curve = ramp its symbol is listed with the "
                                + "score 0.00, and weight_threshold leaves it out",
                        "`score_curve = \"ramp\"` with `weight_threshold`",
                        this::belowTheThreshold)
                .differs("threshold value multiplied by two", "score_curve = ramp: 0 up to 20, all from 40 on",
                        "`score_curve = \"ramp\"`", () -> {
                            RuleSettings rule = settings.rule("rule { " + SERVERS + " score_curve = \"ramp\"; }");
                            Curve curve = rule.score().curve();
                            assertThat(List.of(curve.base(19, 20), curve.base(20, 20), curve.base(30, 20),
                                    curve.base(40, 20),
                                    curve.base(500, 20))).containsExactly(0.0, 0.0, 0.5, 1.0, 1.0);
                            assertThat(Curve.CURRENT.base(10, 20)).as("the default is the curve of Rspamd")
                                    .isBetween(0.8, 0.9);
                        });
    }

    private void belowTheThreshold() throws Exception {
        weir().rspamc("-f", "13", "-w", "5", "fuzzy_add", campaign()).succeeded();
        try {
            assertThat(scored("")).singleElement().satisfies(score -> assertThat(score).isBetween(10.0, 13.0));
            assertThat(scored("score_curve = \"ramp\";")).containsExactly(0.0);
            assertThat(scored("score_curve = \"ramp\"; weight_threshold = 0.01;")).isEmpty();
        } finally {
            weir().rspamc("-f", "13", "fuzzy_del", campaign()).succeeded();
        }
    }

    /** Returns the scores of the campaign by a rule whose symbol weighs 20. */
    private List<Double> scored(String options) throws Exception {
        FuzzyCheckSettings rules = settings.rules("""
                group "fuzzy" { symbols { A { weight = 20 } } }
                fuzzy_check { rule { servers = "127.0.0.1:%s"; algorithm = "mumhash"; %s
                  fuzzy_map { A { flag = 13; max_score = 20 } } } }
                """.formatted(weir().storage(), options)).sound();
        try (FuzzyCheck check = FuzzyCheck.open(rules, MailHasher.standard())) {
            return check.check(Files.readAllBytes(mails().campaign()), ScanContext.NONE).join().symbols().stream()
                    .map(symbol -> symbol.score()).toList();
        }
    }

    private void storage(Promises promises) {
        promises.row("UDP and TCP from rspamd 1.3", "one port answers the same check both ways", () -> {
            byte[] check = RawClient.command(CommandCode.CHECK, 1, 0, 1);
            assertThat(new RawClient(weir().storage()).ask(check).isMatch()).isFalse();
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), weir().storage())) {
                socket.setSoTimeout(60_000);
                ByteBuffer frame = ByteBuffer.allocate(FrameReader.HEADER + check.length);
                FrameWriter.put(frame, check, 0, check.length);
                socket.getOutputStream().write(frame.array());
                byte[] reply = socket.getInputStream().readNBytes(FrameReader.HEADER + 16);
                assertThat(reply[0]).isEqualTo((byte) 16);
            }
        }).row("local settings activate and configure",
                "a copy of the tree that Debian installs, with the sample in "
                        + "local.d/worker-fuzzy.inc: its storage is active with the values of the sample",
                () -> {
                    Path tree = debianTree("local-d");
                    Files.createDirectories(tree.resolve("local.d"));
                    Files.writeString(tree.resolve("local.d").resolve("worker-fuzzy.inc"), """
                            count = 4;
                            backend = "sqlite";
                            database = "${DBDIR}/fuzzy.db";
                            expire = 90d;
                            sync = 1min;
                            """);
                    assertThat(Weir.run(scratch, "config", "check", tree.toString()).succeeded().out())
                            .contains(": can be used");
                    assertThat(Weir.run(scratch, "config", "explain", tree.toString()).succeeded().out())
                            .contains("local.d/worker-fuzzy.inc:4");
                })
                .row("without the `worker` wrapper", "a section within the file is an error with its place", () -> {
                    Path tree = debianTree("wrapped");
                    Files.createDirectories(tree.resolve("local.d"));
                    Files.writeString(tree.resolve("local.d").resolve("worker-fuzzy.inc"),
                            "worker \"fuzzy\" { count = 4; }\n");
                    assertThat(Weir.run(scratch, "config", "check", tree.toString()).err())
                            .contains("local.d/worker-fuzzy.inc:1:1: unknown option \"worker\" in worker \"fuzzy\"");
                })
                .row("Earlier documentation referred to", "an active worker in rspamd.conf.local counts beside the one "
                        + "that Debian ships inactive", () -> {
                            Path tree = debianTree("conf-local");
                            Files.writeString(tree.resolve("rspamd.conf.local"), """
                                    worker "fuzzy" { count = 2; bind_socket = "127.0.0.1:0"; backend = "sqlite";
                                      database = "${DBDIR}/fuzzy.db"; }
                                    """);
                            Programs.Result check = Weir.run(scratch, "config", "check", tree.toString()).succeeded();
                            assertThat(check.out() + check.err()).contains("rspamd.conf.local:1:", ": can be used");
                        })
                .row("Sample configuration", "reads the sample", () -> {
                    StorageConfig config = settings.storage("""
                            worker "fuzzy" {
                              bind_socket = "*:11335";
                              count = 4;
                              backend = "sqlite";
                              database = "${DBDIR}/fuzzy.db";
                              expire = 90d;
                              sync = 1min;
                            }
                            """).sound();
                    assertThat(config.workers()).isEqualTo(4);
                    assertThat(config.times().expire()).isEqualTo(Duration.ofDays(90));
                    assertThat(config.times().sync()).isEqualTo(Duration.ofMinutes(1));
                }).row("database = \"${DBDIR}/fuzzy.db\"",
                        "is the file of the hashes; nothing warns that it has no effect",
                        () -> assertThat(settings.storage("database = \"/srv/x/fuzzy.db\";").messages())
                                .doesNotContain("no effect"))
                .differs("not active, with", "count = -1 warns, enabled = false ends weir serve with status 0",
                        "`enabled = false`", () -> {
                            assertThat(settings.storage("count = -1; database = \"/srv/x/fuzzy.db\";").messages())
                                    .contains("keeps Rspamd's storage off; weir serve runs it, unless enabled = false");
                            Path file = Files.writeString(scratch.resolve("off.conf"),
                                    "worker \"fuzzy\" { enabled = false; database = \"" + scratch
                                            + "/off/fuzzy.db\"; }\n");
                            assertThat(Weir.run(scratch, "serve", "--no-http", "-c", file.toString()).succeeded().out())
                                    .contains("switches the storage off: nothing to serve");
                        })
                .row("updates queue is written to disk", "a storage that is killed right after it learned, a minute "
                        + "before SQLite has the hash, still has it", () -> {
                            Path data = scratch.resolve("killed");
                            WeirStorage storage = WeirStorage.start(data, "--sync", "60");
                            Weir.run(scratch, "learn", "-f", "1", "-w", "4", "-s", storage.address(), campaign())
                                    .succeeded();
                            storage.kill();
                            try (WeirStorage again = WeirStorage.start(data)) {
                                assertThat(Weir.run(scratch, "check", "--json", "-s", again.address(),
                                        mails().modified().toString()).succeeded().out()).contains("\"value\":4");
                            }
                        })
                .row("remove obsolete hashes", "of two hashes in a database with the tables of the documents, the one "
                        + "from 100 days ago is not found with expire = 90d, the one from 10 days ago is", this::expire)
                .differs("400,000 hashes may occupy about 100 MB",
                        "the index takes up to 550 bytes for each of 200,000 hashes with shingles, of which 300 become "
                                + "memory (docs/internals/memory-index.md): 120 MB for so many, and 450 MB for 1.5 "
                                + "million; a metric tells the size",
                        "no choice: Rspamd has its hashes in files, Weir in memory",
                        this::memory)
                .row("trusted IP-addresses and/or networks", "reads an address, a network, and a list with a comma in "
                        + "one text", () -> {
                            for (String list : List.of("[\"127.0.0.1\", \"10.0.0.0/8\"]", "\"127.0.0.1, 10.0.0.0/8\"",
                                    "\"127.0.0.1,10.0.0.0/8\"")) {
                                Networks trusted = Objects.requireNonNull(settings
                                        .storage("database = \"/srv/x/fuzzy.db\"; allow_update = " + list + ";").sound()
                                        .access().updates().sources());
                                for (String address : List.of("127.0.0.1", "10.1.2.3")) {
                                    assertThat(trusted.contains(InetAddress.ofLiteral(address))).as(list).isTrue();
                                }
                                assertThat(trusted.contains(InetAddress.ofLiteral("127.0.0.2"))).as(list).isFalse();
                            }
                        })
                .row("optional (opportunistic)", "a storage with a key pair answers with and without encryption; with "
                        + "it, no digest is readable on the way", this::opportunistic)
                .row("unique output is returned", "two key pairs of weir keypair differ, and the pair of the sample, "
                        + "with its id, can be read", () -> {
                            assertThat(KeyFile.generate(scratch).publicKey())
                                    .isNotEqualTo(KeyFile.generate(scratch).publicKey());
                            assertThat(
                                    settings.storage("database = \"/srv/x/fuzzy.db\"; " + SAMPLE_PAIR).sound().access()
                                            .keys())
                                    .singleElement().satisfies(key -> assertThat(key.toString())
                                            .contains("og3snn8s37znx"));
                        })
                .row("does not allow changes", "a storage without allow_update refuses an update", () -> {
                    Path file = Files.writeString(scratch.resolve("closed.conf"),
                            "worker \"fuzzy\" { bind_socket = \"127.0.0.1:0\"; database = \"" + scratch
                                    + "/c/fuzzy.db\"; }\n");
                    try (WeirStorage closed = WeirStorage.configured(file)) {
                        assertThat(Weir.run(scratch, "learn", "-f", "1", "-s", closed.address(), campaign())
                                .exit()).isEqualTo(4);
                    }
                }).row("using the command", "weir keypair prints the block of rspamadm keypair -u", () -> {
                    String ours = Weir.run(scratch, "keypair").succeeded().out();
                    String theirs = Programs.run(scratch, "rspamadm", "keypair", "-u").succeeded().out();
                    assertThat(names(ours)).containsExactlyInAnyOrderElementsOf(names(theirs)).hasSize(6);
                })
                .row("keys simultaneously",
                        "one storage answers clients of three keys, and with encrypted_only none without a "
                                + "key",
                        () -> {
                            KeyFile[] keys = {KeyFile.generate(scratch), KeyFile.generate(scratch),
                                KeyFile.generate(scratch)};
                            Path file = Files.writeString(scratch.resolve("keys.conf"), """
                                    worker "fuzzy" { bind_socket = "127.0.0.1:0"; database = "%s/keys/fuzzy.db";
                                      allow_update = ["127.0.0.1"]; encrypted_only = true;
                                      %s %s %s
                                    }
                                    """.formatted(scratch, keys[0].text(), keys[1].text(), keys[2].text()));
                            try (WeirStorage storage = WeirStorage.configured(file)) {
                                for (KeyFile key : keys) {
                                    assertThat(Weir.run(scratch, "ping", "-s", storage.address(), "--encryption-key",
                                            key.publicKey()).exit()).isZero();
                                }
                                assertThat(Weir.run(scratch, "check", "-s", storage.address(),
                                        campaign()).exit()).isNotIn(0, 1);
                            }
                        })
                .row("any number of keys", "reads three key pairs and encrypted_only", () -> {
                    String pair = Weir.run(scratch, "keypair").succeeded().out();
                    String other = Weir.run(scratch, "keypair").succeeded().out();
                    StorageConfig config = settings
                            .storage("database = \"/srv/x/fuzzy.db\"; encrypted_only = true;\n" + pair
                                    + other + Programs.run(scratch, "rspamadm", "keypair", "-u").succeeded().out())
                            .sound();
                    assertThat(config.access().keys()).hasSize(3);
                    assertThat(config.access().encryptedOnly()).isTrue();
                });
    }

    private void expire() throws Exception {
        Path folder = Files.createDirectory(scratch.resolve("expire"));
        long now = System.currentTimeMillis() / 1000;
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fuzzy.db"));
                Statement statement = database.createStatement()) {
            statement.executeUpdate("CREATE TABLE digests(id INTEGER PRIMARY KEY, flag INTEGER NOT NULL, "
                    + "digest TEXT NOT NULL, value INTEGER, time INTEGER)");
            statement.executeUpdate("CREATE TABLE shingles(value INTEGER NOT NULL, number INTEGER NOT NULL, digest_id "
                    + "INTEGER REFERENCES digests(id) ON DELETE CASCADE ON UPDATE CASCADE)");
            // With the last hash from 10 days ago, the clock of the machine would be in doubt.
            for (int days : new int[]{100, 10, 0}) {
                byte[] digest = Arrays.copyOfRange(RawClient.command(CommandCode.CHECK, 1, 0, days), DIGEST,
                        Protocol.COMMAND);
                statement.executeUpdate("INSERT INTO digests(flag, digest, value, time) VALUES(1, CAST(x'"
                        + HexFormat.of().formatHex(digest) + "' AS TEXT), 7, " + (now - days * 86_400L) + ")");
            }
        }
        Path file = Files.writeString(scratch.resolve("expire.conf"), "worker \"fuzzy\" { bind_socket = "
                + "\"127.0.0.1:0\"; database = \"" + folder + "/fuzzy.db\"; expire = 90d; }\n");
        try (WeirStorage storage = WeirStorage.configured(file)) {
            RawClient client = new RawClient(storage.port());
            assertThat(client.ask(RawClient.command(CommandCode.CHECK, 1, 0, 100)).isMatch()).isFalse();
            assertThat(client.ask(RawClient.command(CommandCode.CHECK, 1, 0, 10)).value()).isEqualTo(7);
        }
    }

    private void memory() throws Exception {
        HashIndex index = new HashIndex(new KeyedHash(1, 2), HASHES, HASHES);
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < HASHES; i++) {
            byte[] digest = new byte[Digest.BYTES];
            random.nextBytes(digest);
            index.load(new StoredHash(Digest.of(digest), List.of(new FlagValue(1, 1, 1)),
                    Signature.of(random.longs(Signature.SLOTS).toArray(), 0)));
        }
        assertThat(index.size()).isEqualTo(HASHES);
        assertThat(index.bytes() / HASHES).isBetween(250L, 550L);
        try (HttpClient client = HttpClient.newHttpClient()) {
            assertThat(client.send(HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + weir().port() + "/metrics")).build(),
                    HttpResponse.BodyHandlers.ofString()).body()).containsPattern("weir_storage_index_bytes [1-9]");
        }
    }

    private void opportunistic() throws Exception {
        KeyPair key = KeyPair.generate(new SecureRandom());
        Path file = Files.writeString(scratch.resolve("open.conf"), "worker \"fuzzy\" { bind_socket = "
                + "\"127.0.0.1:0\"; database = \"" + scratch + "/open/fuzzy.db\"; allow_update = \"127.0.0.1\"; "
                + key.toUcl() + " }\n");
        byte[] mail = Files.readAllBytes(mails().campaign());
        String secret = "encryption_key = \"" + key.publicKey().base32() + "\";";
        try (WeirStorage storage = WeirStorage.configured(file)) {
            for (String option : List.of("", secret)) {
                List<byte[]> seen = Collections.synchronizedList(new ArrayList<>());
                try (DatagramPeer relay = relay(storage.port(), seen);
                        FuzzyCheck check = FuzzyCheck.open(settings.rules("rule { "
                                + SERVERS.replace("127.0.0.1:9", "127.0.0.1:" + relay.port()) + option + " }").sound(),
                                MailHasher.standard())) {
                    assertThat(check.learn(mail, LearnRequest.add(1, 5)).join().failure()).isEmpty();
                    assertThat(check.check(mail, ScanContext.NONE).join().matches()).isNotEmpty();
                }
                String digest = new String(Settings.hashes(mail, settings.rule("rule { " + SERVERS + " }")).getFirst()
                        .digest(), StandardCharsets.ISO_8859_1);
                assertThat(seen.stream().anyMatch(datagram -> new String(datagram, StandardCharsets.ISO_8859_1)
                        .contains(digest))).as(option).isEqualTo(option.isEmpty());
            }
        }
    }

    /** A second address of a storage that keeps what it passes on. */
    private static DatagramPeer relay(int storage, List<byte[]> seen) throws IOException {
        return DatagramPeer.start((peer, datagram, from) -> {
            seen.add(datagram);
            Optional<byte[]> reply = new RawClient(storage).bytes(datagram);
            if (reply.isPresent()) {
                peer.send(reply.get(), from);
            }
        });
    }

    /** Copies the tree that Debian's package installs. */
    private Path debianTree(String name) throws Exception {
        Path tree = scratch.resolve(name);
        Programs.run(scratch, "cp", "-rL", "/etc/rspamd", tree.toString()).succeeded();
        return tree;
    }

    private static List<String> names(String block) {
        return block.lines().filter(line -> line.contains(" = ")).map(line -> line.strip().split(" ", 2)[0]).toList();
    }

    private void plugin(Promises promises) {
        promises.row("Learning is performing by", "learns and finds a mail and its variant, as Rspamd 3.4 does", () -> {
            weir().rspamc("-f", "11", "-w", "10", "fuzzy_add", campaign()).succeeded();
            rspamd().learn(mails().campaign(), 1, 10).succeeded();
            for (Path mail : List.of(mails().campaign(), mails().modified())) {
                assertThat(weir().rspamc(mail.toString()).succeeded().out()).contains("Symbol: LOCAL_FUZZY_DENIED");
            }
            await("Rspamd finds the variant").atMost(Duration.ofMinutes(1))
                    .until(() -> rspamd().scan(mails().modified()), symbols -> symbols.contains(RspamdPeer.DENIED));
        }).row("<message|directory|stdin>", "learns a file, a folder and standard input", () -> {
            Path folder = Files.createDirectory(scratch.resolve("folder"));
            Files.copy(mails().unrelated(), folder.resolve("a.eml"));
            Programs.Result learned = weir().rspamc("-f", "12", "-w", "3", "fuzzy_add", folder.toString())
                    .succeeded();
            assertThat(learned.out()).contains("success = true", "a.eml");
            Programs.Result piped = weir().piped(mails().unrelated(), "-f", "12",
                    "fuzzy_del").succeeded();
            assertThat(piped.out()).contains("success = true");
        }).row("associated with its own symbol", "one flag gives a symbol with a negative score, another one with a "
                + "positive one", () -> {
                    weir().rspamc("-f", "13", "-w", "50", "fuzzy_add", unrelated()).succeeded();
                    assertThat(weir().rspamc(unrelated()).succeeded().out())
                            .contains("Symbol: LOCAL_FUZZY_WHITE (-2.1");
                    assertThat(weir().rspamc(campaign()).succeeded().out()).contains("Symbol: LOCAL_FUZZY_DENIED (1");
                    weir().rspamc("-f", "13", "fuzzy_del", unrelated()).succeeded();
                })
                .row("equivalent to flag=1", "the tree that Debian installs gives flag 1 this symbol", () -> assertThat(
                        settings.debian().rules()).filteredOn(rule -> rule.name().equals("rspamd.com")).singleElement()
                        .satisfies(rule -> assertThat(Objects.requireNonNull(rule.score().flags().get(1L)).symbol())
                                .isEqualTo("FUZZY_DENIED")))
                .row("symbol name can be used", "learns with -S and reads the flag", () -> {
                    assertThat(weir().rspamc("-S", "LOCAL_FUZZY_PROB", "-w", "10", "fuzzy_add", unrelated())
                            .succeeded().out()).contains("flag = 12;");
                }).row("local.d/fuzzy_check.conf", "reads the sample with three symbols", () -> {
                    RuleSettings rule = settings.rule(LOCAL);
                    assertThat(rule.score().flags()).containsOnlyKeys(11L, 12L, 13L);
                    assertThat(rule.score().skipUnknown()).isTrue();
                }).row("local.d/fuzzy_group.conf", "reads the weights and the cap of the sample", () -> {
                    FuzzyCheckSettings read = settings
                            .rules("fuzzy_check {\n" + LOCAL + "}\ngroup \"fuzzy\" {\n" + GROUP + "}\n")
                            .sound();
                    assertThat(read.symbols().symbol("LOCAL_FUZZY_WHITE").weight()).isEqualTo(-2.1);
                    assertThat(Objects.requireNonNull(read.symbols().groups().get("fuzzy")).most()).hasValue(12);
                }).row("*/subtype", "hashes attachments of the listed types", () -> {
                    String mail = "Content-Type: application/x-thing; name=a.bin\nContent-Disposition: attachment\n\n"
                            + "abcdefgh".repeat(300) + "\n";
                    for (String type : List.of("application/x-thing", "*/x-thing", "application/*", "*")) {
                        assertThat(Settings.verdict(mail, settings.rule("rule { " + SERVERS + " mime_types = [\"" + type
                                + "\"]; }")).hashes()).as(type).hasSize(1);
                    }
                    assertThat(
                            Settings.verdict(mail, settings.rule("rule { " + SERVERS + " mime_types = [\"text/*\"]; }"))
                                    .hashes())
                            .isEmpty();
                })
                .row("embedded images are implicitly checked",
                        "a picture of an HTML part has a hash, although no type lists "
                                + "it",
                        () -> {
                            byte[] mail = ModuleDocument.imageMail(600, 600).getBytes(StandardCharsets.ISO_8859_1);
                            assertThat(Settings.hashes(mail, settings.rule("rule { " + SERVERS
                                    + " mime_types = [\"application/x-a\"]; }"))).extracting(FuzzyHash::kind)
                                    .contains(HashKind.IMAGE);
                        })
                .row("blake2b](https://blake2.net/) is always used", "the digest of a picture is the same with every "
                        + "algorithm", () -> {
                            byte[] mail = ModuleDocument.imageMail(600, 600).getBytes(StandardCharsets.ISO_8859_1);
                            Set<Digest> digests = new HashSet<>();
                            for (String name : List.of("siphash", "mumhash", "xxhash", "fasthash")) {
                                digests.add(Digest.of(Settings
                                        .hashes(mail,
                                                settings.rule("rule { " + SERVERS.replace("mumhash", name) + " }"))
                                        .stream().filter(hash -> hash.kind() == HashKind.IMAGE).findFirst()
                                        .orElseThrow()
                                        .digest()));
                            }
                            assertThat(digests).hasSize(1);
                        })
                .cannotBe("test/rspamd-test -p /rspamd/shingles",
                        "the program belongs to the source of Rspamd; a benchmark of "
                                + "Weir measures two of the algorithms",
                        "`lab/bench/run jmh Shingles`", () -> assertThat(
                                Files.readString(
                                        Path.of("..", "bench", "src", "main", "java", "dev", "weir", "bench", "jmh",
                                                "HashingBenchmark.java")))
                                .contains("long[] mumShingles()", "long[] sipShingles()"))
                .differs("read_only=true by default", "as in Rspamd: a rule learns unless read_only is true",
                        "`read_only`",
                        () -> {
                            assertThat(settings.rule("rule { " + SERVERS + " }").mode().writes()).isTrue();
                            assertThat(settings.rule("rule { " + SERVERS + " read_only = true; }").mode().writes())
                                    .isFalse();
                        })
                .row("also called fast", "reads every name of an algorithm", () -> {
                    for (String name : List.of("mumhash", "xxhash", "fasthash", "fast", "siphash", "old")) {
                        settings.rule("rule { " + SERVERS.replace("mumhash", name) + " }");
                    }
                }).row("losing all data", "a text learned with one algorithm is not similar under another", () -> {
                    byte[] mail = Files.readAllBytes(mails().campaign());
                    long[] mum = Settings.hashes(mail, settings.rule("rule { " + SERVERS + " }")).getFirst().shingles();
                    long[] sip = Settings
                            .hashes(mail, settings.rule("rule { " + SERVERS.replace("mumhash", "siphash") + " }"))
                            .getFirst().shingles();
                    assertThat(mum).doesNotContain(sip);
                    assertThat(
                            settings.rules("rule { servers = \"a\"; fuzzy_map { A { flag = 1; max_score = 1 } } }")
                                    .messages())
                            .contains("names no algorithm");
                });
    }

    private void conditions(Promises promises) {
        promises.row("multiline string", "the smallest script learns", () -> assertThat(decision("""
                return function(task)
                  return true -- Always learn
                end
                """, "From: a@example.net\n").decision()).isEqualTo(LearnReport.Decision.LEARNS))
                .differs("messages that come from certain domains",
                        "the sample skips them; it returns nothing for others, "
                                + "which Weir does not learn",
                        "`return true` at the end of the script", () -> {
                            String script = """
                                    return function(task)
                                      local skip_domains = { 'example.com', 'google.com' }
                                      local from = task:get_from()
                                      if from and from[1] and from[1]['addr'] then
                                        for i,d in ipairs(skip_domains) do
                                          if string.find(from[1]['addr'], d) then
                                            return false
                                          end
                                        end
                                      end
                                    end
                                    """;
                            assertThat(decision(script, "From: a@example.com\n").reason()).contains("returned false");
                            assertThat(decision(script, "From: a@example.net\n").reason()).contains("returned nothing",
                                    "end it with 'return true'");
                            String whole = script.substring(0, script.lastIndexOf("end")) + "  return true\nend\n";
                            assertThat(decision(whole, "From: a@example.net\n").decision())
                                    .isEqualTo(LearnReport.Decision.LEARNS);
                        })
                .row("a pair consisting of a boolean value and a numeric value",
                        "the number becomes the flag; a number "
                                + "alone is no decision, which the report says",
                        () -> {
                            assertThat(decision("return function(task) return true, 2 end", "").flag()).isEqualTo(2);
                            assertThat(decision("return function(task) return false, 2 end", "").decision())
                                    .isEqualTo(LearnReport.Decision.SKIPPED_BY_CONDITION);
                            assertThat(decision("return function(task) return 2 end", "").reason())
                                    .contains("returned a number, not true or false");
                        })
                .row("encoded in the X-Source title", "the sample maps each source to its flag", () -> {
                    assertThat(decision(SOURCES, "X-Source: honeypot\n").flag()).isEqualTo(1);
                    assertThat(decision(SOURCES, "X-Source: users_unfiltered\n").flag()).isEqualTo(2);
                    assertThat(decision(SOURCES, "X-Source: FP\n").flag()).isEqualTo(3);
                    assertThat(decision(SOURCES, "X-Source: other\n").decision())
                            .isEqualTo(LearnReport.Decision.SKIPPED_BY_CONDITION);
                })
                .row("if specified header is missing", "the sample does not learn", () -> assertThat(
                        decision(SOURCES, "X-Other: honeypot\n").reason()).contains("returned false"));
    }

    private static final String SOURCES = """
            return function(task)
              local skip_headers = {
                ['X-Source'] = function(hdr)
                  local sources = { honeypot = 1, users_unfiltered = 2, users_filtered = 1, FP = 3 }
                  local fl = sources[hdr]
                  if fl then return true,fl end
                  return false
                end
              }
              for h,f in pairs(skip_headers) do
                local hdr = task:get_header(h)
                if h then
                  return f(hdr)
                end
              end
              return false
            end
            """;

    /** Rehearses learning of a mail with some header under a condition. */
    private LearnReport.RuleOutcome decision(String script, String header) throws Exception {
        FuzzyCheckSettings rules = settings.rules("rule \"r\" { " + SERVERS + "\nlearn_condition = <<EOD\n" + script
                + "\nEOD\n}\n").sound();
        String mail = header + "Content-Type: text/plain\n\n" + "some words that stand in a row of many ".repeat(30)
                + "\n";
        try (LuaConditions conditions = new LuaConditions();
                FuzzyCheck check = FuzzyCheck.open(rules, MailHasher.standard(),
                        FuzzyCheckOptions.DEFAULT.withConditions(conditions))) {
            return check.rehearse(mail.getBytes(StandardCharsets.UTF_8), LearnRequest.add(1, 1)).join().rules()
                    .getFirst();
        }
    }

    private static final String SLAVE = """
            slave { name = "slave1"; hosts = "slave1.example.com";
              key = "b5gp6wosdyto8p4jrar5nibqejwhwirsror5u7ig6sfs1dj3wbgy"; }
            """;

    private void replication(Promises promises) {
        promises.row("local copy of the remote storage", "what a master learns, its slave finds, and what it forgets, "
                + "its slave does not", () -> {
                    MirrorPair mirrors = pair();
                    mirrors.learn(mirrors.master(), mails().campaign(), LearnRequest.add(1, 4));
                    mirrors.await(mails().modified(), Map.of(10L, 4));
                    mirrors.learn(mirrors.master(), mails().campaign(), LearnRequest.delete(1));
                    mirrors.await(mails().campaign(), Map.of());
                })
                .row("initiated by the replication **master**", "a slave that is killed gets what it missed when it "
                        + "is back, once", () -> {
                            MirrorPair mirrors = pair();
                            mirrors.slave().kill();
                            mirrors.learn(mirrors.master(), mails().unrelated(), LearnRequest.add(1, 4));
                            mirrors.killMaster();
                            mirrors.killSlave();
                            mirrors.await(mails().unrelated(), Map.of(10L, 4));
                        })
                .row("listens on port 11335 over TCP", "takes batches on the port of its storage; hosts without a port "
                        + "have this one",
                        () -> assertThat(settings.storage("database = \"/srv/x/fuzzy.db\"; " + SLAVE)
                                .sound().nodes().push()).satisfies(
                                        push -> assertThat(push.slaves().getFirst().hosts())
                                                .hasToString("[slave1.example.com:11335]")))
                .row("version is less than or equal", "pushes batches by hand: an equal and a smaller number are "
                        + "refused, another key and no encryption are refused, a gap is logged", () -> {
                            PushedUpdates.Element add = new PushedUpdates.Element(PushedUpdates.ADD, 1, 5, 1,
                                    Digest.of(new byte[Digest.BYTES]), null);
                            MirrorPair mirrors = pair();
                            KeyPair master = mirrors.masterPair();
                            assertThat(mirrors.push(master, "m", 6, add)).isEqualTo(200);
                            assertThat(mirrors.push(master, "m", 6, add)).isEqualTo(409);
                            assertThat(mirrors.push(master, "m", 5, add)).isEqualTo(409);
                            assertThat(mirrors.push(master, "m", 9, add)).isEqualTo(200);
                            assertThat(mirrors.slave().log()).contains(
                                    "remote revision: 6 is older than ours: 6, refusing update",
                                    "remote revision: 9 is newer more than one revision than ours: 6, cold sync is "
                                            + "recommended");
                            assertThat(mirrors.push(KeyPair.generate(new SecureRandom()), "m", 10, add))
                                    .isEqualTo(403);
                        })
                .differs("remote revision: XX is newer more than 1 revision",
                        "the line of a gap has \"one\" in place of \"1\", and no name of a function before it: "
                                + "search for \"cold sync is recommended\"",
                        "no choice: the words of a log", () -> {
                            MirrorPair mirrors = pair();
                            PushedUpdates.Element add = new PushedUpdates.Element(PushedUpdates.ADD, 1, 5, 1,
                                    Digest.of(new byte[Digest.BYTES]), null);
                            assertThat(mirrors.push(mirrors.masterPair(), "g", 2, add)).isEqualTo(200);
                            assertThat(mirrors.push(mirrors.masterPair(), "g", 7, add)).isEqualTo(200);
                            assertThat(mirrors.slave().log()).contains("remote revision: 7 is newer more than one "
                                    + "revision than ours: 2, cold sync is recommended");
                        })
                .row("Master replication is configured", "reads the sample", () -> assertThat(settings
                        .storage("database = \"/srv/x/fuzzy.db\"; " + SLAVE).sound().nodes().push()).isNotNull())
                .row("The slave setup looks similar", "reads the sample, with a name for the master and its key",
                        () -> assertThat(settings.storage("database = \"/srv/x/fuzzy.db\"; masters = \"localhost\"; "
                                + "master_key = \"b5gp6wosdyto8p4jrar5nibqejwhwirsror5u7ig6sfs1dj3wbgy\"; "
                                + SAMPLE_PAIR.replace("keypair", "sync_keypair")).sound().nodes().push())
                                .satisfies(push -> {
                                    assertThat(Objects.requireNonNull(push.masters())
                                            .contains(InetAddress.ofLiteral("127.0.0.1"))).isTrue();
                                    assertThat(push.masterKey()).isNotNull();
                                }))
                .row("automatically generates a keypair", "a master without sync_keypair makes one up",
                        () -> assertThat(
                                settings.storage("database = \"/srv/x/fuzzy.db\"; " + SLAVE).sound().nodes().push())
                                .satisfies(push -> assertThat(push.temporary()).isTrue()))
                .row("flag translation from the master", "flag 1 of the master is 10 at the slave, whose own flag 5 "
                        + "stays when the master forgets", () -> {
                            MirrorPair mirrors = pair();
                            mirrors.learn(mirrors.slave(), mails().campaign(), LearnRequest.add(5, 2));
                            mirrors.learn(mirrors.master(), mails().campaign(), LearnRequest.add(1, 4));
                            mirrors.await(mails().campaign(), Map.of(5L, 2, 10L, 4));
                            mirrors.learn(mirrors.master(), mails().campaign(), LearnRequest.delete(1));
                            mirrors.await(mails().campaign(), Map.of(5L, 2));
                        })
                .row("create a dump", "a new storage starts from a backup that SQLite made", () -> {
                    Path from = scratch.resolve("cold-from");
                    try (WeirStorage first = WeirStorage.start(from)) {
                        Weir.run(scratch, "learn", "-f", "1", "-w", "4", "-s", first.address(),
                                campaign()).succeeded();
                    }
                    Path copy = Files.createDirectory(scratch.resolve("cold-to")).resolve("fuzzy.db");
                    sqlite(from.resolve("fuzzy.db"), "backup to " + copy);
                    try (WeirStorage second = WeirStorage.start(copy.resolveSibling("."))) {
                        assertThat(Weir.run(scratch, "check", "--json", "-s", second.address(),
                                mails().modified().toString()).succeeded().out()).contains("\"value\":4");
                    }
                })
                .differs(".restore fuzzy.sql",
                        "SQLite replaces the database of a storage that ran before: the next start ends with the "
                                + "command to run, weir adopt --apply, which takes the database over and sets store "
                                + "and update log aside",
                        "no choice: the hashes that the storage had would be gone without a question",
                        () -> {
                            Path dump = scratch.resolve("fuzzy.sql");
                            Path slave = scratch.resolve("cold-slave");
                            try (WeirStorage storage = WeirStorage.start(slave)) {
                                Weir.run(scratch, "learn", "-f", "2", "-w", "9", "-s", storage.address(),
                                        unrelated()).succeeded();
                            }
                            sqlite(scratch.resolve("cold-from").resolve("fuzzy.db"), "backup to " + dump);
                            sqlite(slave.resolve("fuzzy.db"), "restore from " + dump);
                            assertThatThrownBy(() -> WeirStorage.start(slave))
                                    .hasMessageContaining("weir adopt --apply");
                            assertThat(Weir.run(scratch, "adopt", "--data", slave.toString(), "--apply").succeeded()
                                    .out())
                                    .contains("belongs to another database", "taken over", "updates.before-",
                                            "store.before-");
                            try (WeirStorage storage = WeirStorage.start(slave)) {
                                assertThat(Weir.run(scratch, "check", "--json", "-s", storage.address(),
                                        mails().modified().toString()).succeeded().out()).contains("\"value\":4");
                                assertThat(Weir.run(scratch, "check", "--json", "-s", storage.address(),
                                        unrelated()).out()).doesNotContain("\"value\"");
                                Weir.run(scratch, "learn", "-f", "1", "-w", "3", "-s", storage.address(),
                                        unrelated()).succeeded();
                            }
                        })
                .differs("without stopping rspamd service on the slaves", "SQLite replaces the database under a "
                        + "running storage: it keeps what it had, writes nothing there and names weir adopt --apply "
                        + "in its log, in /healthz, weir control status and weir doctor; a restart alone ends with the "
                        + "same command", "no choice: the hashes that the storage had would be gone without a question",
                        this::restoredWhileRunning)
                .row("then switch on the master", "a slave that starts from a copy has it and what the master learns "
                        + "afterwards, each once, and warns of no gap", () -> {
                            Path folder = Files.createDirectory(scratch.resolve("cold-pair"));
                            Path master = folder.resolve("master");
                            try (WeirStorage storage = WeirStorage.start(master)) {
                                Weir.run(scratch, "learn", "-f", "1", "-w", "4", "-s", storage.address(),
                                        campaign()).succeeded();
                            }
                            Path slave = Files.createDirectories(folder.resolve("slave"));
                            sqlite(master.resolve("fuzzy.db"), "backup to " + folder.resolve("fuzzy.sql"));
                            sqlite(slave.resolve("fuzzy.db"), "restore from " + folder.resolve("fuzzy.sql"));
                            Weir.run(scratch, "adopt", "--data", slave.toString(), "--apply").succeeded();
                            try (MirrorPair mirrors = MirrorPair.start(folder, "")) {
                                mirrors.await(mails().campaign(), Map.of(1L, 4));
                                mirrors.learn(mirrors.master(), mails().campaign(), LearnRequest.add(1, 3));
                                mirrors.await(mails().campaign(), Map.of(1L, 7));
                                assertThat(mirrors.awaitLog("processed updates from the master"))
                                        .doesNotContain("cold sync is recommended");
                            }
                        });
    }

    private void restoredWhileRunning() throws Exception {
        Path slave = scratch.resolve("cold-running");
        Path dump = scratch.resolve("running.sql");
        sqlite(scratch.resolve("cold-from").resolve("fuzzy.db"), "backup to " + dump);
        try (WeirStorage storage = WeirStorage.start(slave)) {
            Weir.run(scratch, "learn", "-f", "2", "-w", "9", "-s", storage.address(), unrelated()).succeeded();
            sqlite(slave.resolve("fuzzy.db"), "restore from " + dump);
            Weir.run(scratch, "learn", "-f", "2", "-w", "2", "-s", storage.address(), unrelated()).succeeded();
            assertThat(Weir.run(scratch, "control", "fuzzysync", "--data", slave.toString()).exit()).isNotZero();
            assertThat(Weir.run(scratch, "check", "--json", "-s", storage.address(), unrelated()).out())
                    .contains("\"value\":11");
        }
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + slave.resolve("fuzzy.db"));
                ResultSet rows = database.createStatement().executeQuery("SELECT flag, value FROM digests")) {
            assertThat(rows.next()).isTrue();
            assertThat(List.of(rows.getInt(1), rows.getInt(2))).containsExactly(1, 4);
            assertThat(rows.next()).isFalse();
        }
        assertThatThrownBy(() -> WeirStorage.start(slave)).hasMessageContaining("weir adopt --apply");
        Weir.run(scratch, "adopt", "--data", slave.toString(), "--apply").succeeded();
        try (WeirStorage storage = WeirStorage.start(slave)) {
            assertThat(Weir.run(scratch, "check", "--json", "-s", storage.address(), campaign()).succeeded().out())
                    .contains("\"value\":4");
        }
    }

    private MirrorPair pair() throws IOException {
        if (started == null) {
            started = MirrorPair.start(scratch.resolve("mirrors"),
                    "master_flags { \"1\" = 10; \"2\" = 20; \"3\" = 30; };");
        }
        return started;
    }

    /** Ends what the rows have started. */
    @Override
    public void close() {
        if (started != null) {
            started.close();
        }
    }

    /** Runs a command of SQLite's shell, which calls the same function of the library. */
    private static void sqlite(Path file, String command) throws SQLException {
        try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = database.createStatement()) {
            statement.executeUpdate(command);
        }
    }

    private void testing(Promises promises, Path socket) {
        promises.row("Statistics for storage", "rspamadm reads the socket that options name", () -> {
            String report = Programs.run(scratch, "rspamadm", "control", "-t", "60", "-s", socket.toString(),
                    "fuzzystat", "-n").succeeded().out();
            assertThat(report).contains("Statistics for storage ", "invalid_requests: ", "fuzzy_expired: ",
                    "fuzzy_found: (v0.6: 0)", "fuzzy_stored: ", "fuzzy_shingles: ", "fuzzy_checked: ",
                    "Keys statistics:", "Checked: ", "Matched: ", "Errors: ", "Added: ", "Deleted: ", "IPs stat:");
        }).row("`rspamadm control fuzzystat`", "works without -s where options name the socket of Rspamd's own folder; "
                + "in a mount namespace, the folder of this storage stands there", () -> {
                    Programs.require("unshare");
                    assumeTrue(Files.isDirectory(RSPAMD_DATA) && Programs.run(scratch, "unshare", "-m", "true")
                            .exit() == 0, "only root may change mounts, and " + RSPAMD_DATA + " must exist");
                    assertThat(Programs.run(scratch, "unshare", "-m", "sh", "-c", "mount --bind '" + socket.getParent()
                            + "' " + RSPAMD_DATA + " && exec rspamadm control -t 60 fuzzystat").succeeded().out())
                            .contains("Statistics for storage ");
                }).row("distribution of requests for client", "requests of three forms count in three versions", () -> {
                    RawClient client = new RawClient(weir().storage());
                    byte[] check = RawClient.command(CommandCode.CHECK, 1, 0, 1);
                    client.ask(check);
                    check[0] = 2;
                    client.ask(check);
                    assertThat(client.bytes(new byte[Protocol.TEXT_COMMAND])).isPresent();
                    assertThat(report(socket, "-n")).containsPattern("fuzzy_checked: \\(v0.6: [1-9][0-9]*\\), "
                            + "\\(v0.8: [1-9][0-9]*\\), \\(v0.9: [1-9][0-9]*\\), ");
                })
                .row("display raw numbers without reduction", "after more than a thousand checks, 1.0 and k by default "
                        + "and all digits with -n, from both programs", () -> {
                            RawClient client = new RawClient(weir().storage());
                            for (int i = 0; i < 1_010; i++) {
                                client.ask(RawClient.command(CommandCode.CHECK, 1, 0, 1));
                            }
                            List<String> theirs = List.of("rspamadm", "control", "-t", "60", "-s", socket.toString(),
                                    "fuzzystat");
                            String[] exact = Stream.concat(theirs.stream(), Stream.of("-n")).toArray(String[]::new);
                            for (String shortened : List.of(report(socket), Programs.run(scratch,
                                    theirs.toArray(String[]::new)).succeeded().out())) {
                                assertThat(shortened).containsPattern("\\(v0.9: 1.[0-9]+k\\)");
                            }
                            for (String all : List.of(report(socket, "-n"),
                                    Programs.run(scratch, exact).succeeded().out())) {
                                assertThat(all).containsPattern("\\(v0.9: 1[0-9]{3}\\)");
                            }
                        })
                .row("overall statistics on IP-addresses", "stands at the end, with each address that asked", () -> {
                    for (String address : List.of("127.0.0.2", "127.0.0.10")) {
                        from(address);
                    }
                    String all = report(socket);
                    assertThat(all.substring(all.lastIndexOf("IPs statistics:")))
                            .contains("127.0.0.1\n", "127.0.0.2\n", "127.0.0.10\n")
                            .doesNotContain("Key id");
                }).differs("rspamadm control fuzzystat --no-keys",
                        "rspamadm 3.4 itself prints keys and addresses also with --no-keys and --no-ips, and refuses "
                                + "--sort checked; --short and --sort ip work with it",
                        "`weir control fuzzystat` has all of these options", () -> {
                            for (String without : List.of("--no-keys", "--no-ips", "--sort=ip")) {
                                assertThat(rspamadm(socket, without).succeeded().out())
                                        .contains("Keys statistics:", "IPs statistics:");
                            }
                            assertThat(rspamadm(socket, "--sort=checked").exit()).isNotZero();
                            assertThat(rspamadm(socket, "--short").succeeded().out()).contains("fuzzy_stored: ")
                                    .doesNotContain("Keys statistics:", "IPs statistics:");
                        })
                .row("--short, --no-keys, --no-ips",
                        "leave out what they name, with weir control fuzzystat", () -> {
                            assertThat(report(socket, "--short")).doesNotContain("Keys statistics", "IPs statistics");
                            assertThat(report(socket, "--no-keys")).doesNotContain("Key id").contains("IPs statistics");
                            assertThat(report(socket, "--no-ips")).contains("Key id").doesNotContain("IPs stat");
                        })
                .row("by IP-address lexicographically",
                        "with weir control fuzzystat, ip sorts by the text of addresses, each other word puts the "
                                + "address first that has asked most",
                        () -> {
                            assertThat(addresses(report(socket, "--sort", "ip"))).containsExactly("127.0.0.1",
                                    "127.0.0.10",
                                    "127.0.0.2");
                            assertThat(addresses(report(socket, "--sort", "checked"))).startsWith("127.0.0.1");
                            assertThat(addresses(report(socket, "--sort", "matched"))).startsWith("127.0.0.1");
                            assertThat(addresses(report(socket, "--sort", "errors"))).hasSize(3);
                        });
    }

    private Programs.Result rspamadm(Path socket, String option) throws IOException, InterruptedException {
        return Programs.run(scratch, "rspamadm", "control", "-t", "60", "-s", socket.toString(), "fuzzystat", option);
    }

    /** Asks the storage from another address of this machine. */
    private void from(String address) throws IOException {
        byte[] check = RawClient.command(CommandCode.CHECK, 1, 0, 1);
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.ofLiteral(address))) {
            socket.setSoTimeout(60_000);
            socket.send(new DatagramPacket(check, check.length, InetAddress.getLoopbackAddress(), weir().storage()));
            socket.receive(new DatagramPacket(new byte[2048], 2048));
        }
    }

    /** Returns the addresses at the end of a report, in their order. */
    private static List<String> addresses(String report) {
        return report.substring(report.lastIndexOf("IPs statistics:")).lines()
                .filter(line -> line.matches("[0-9.]+")).toList();
    }

    private String report(Path socket, String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("control", "fuzzystat", "-s", socket.toString()));
        command.addAll(List.of(options));
        return Weir.run(scratch, command.toArray(String[]::new)).succeeded().out();
    }
}
