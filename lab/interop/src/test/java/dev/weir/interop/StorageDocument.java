package dev.weir.interop;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.weir.hash.MailHasher;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;
import dev.weir.storage.server.StorageConfig;
import dev.weir.testkit.DatagramPeer;
import dev.weir.wire.Protocol;
import dev.weir.wire.command.CommandCode;
import dev.weir.wire.key.KeyPair;
import dev.weir.wire.reply.ErrorCode;
import dev.weir.wire.reply.Reply;

import static org.assertj.core.api.Assertions.assertThat;

/** What both editions of the page about the storage promise, on a storage of Weir and one of Rspamd 3.4. */
final class StorageDocument {
    private static final int WRITE = CommandCode.WRITE;
    private static final int CHECK = CommandCode.CHECK;

    /** Where the digest begins in a command, and the hash in the text form. */
    private static final int DIGEST = 12;
    private static final int LEGACY_HASH = 16;

    private static final String SLAVES = """
            slave { name = "slave1"; hosts = "slave1.example.com"; key = "b5gp6wosdyto8p4jrar5nibqejwhwirsror5u7ig6sfs1dj3wbgy"; }
            slave { name = "slave2"; hosts = "a.example.com:1,[::1]:2"; key = "b5gp6wosdyto8p4jrar5nibqejwhwirsror5u7ig6sfs1dj3wbgy"; }
            """;

    private final Path data;
    private final Settings settings;
    private final RawClient weir;
    private final RawClient rspamd;
    private final List<RawClient> both;

    StorageDocument(Path scratch, Path data, int weir, int rspamd) {
        this.data = data;
        this.settings = new Settings(scratch);
        this.weir = new RawClient(weir);
        this.rspamd = new RawClient(rspamd);
        this.both = List.of(this.weir, this.rspamd);
    }

    void protocol(Promises promises) {
        promises.row("must be 0x2", "checks with version 2: Weir answers, Rspamd 3.4 is silent. Neither answers the "
                + "versions 0, 1, 6 and 7, which no Rspamd has", () -> {
                    byte[] check = RawClient.command(CHECK, 1, 0, 1);
                    check[0] = 2;
                    assertThat(weir.bytes(check)).hasValueSatisfying(reply -> assertThat(reply).hasSize(16));
                    assertThat(rspamd.ignores(check)).isTrue();
                    for (int version : new int[]{0, 1, 6, 7}) {
                        check[0] = (byte) version;
                        for (RawClient client : both) {
                            assertThat(client.ignores(check)).as("version %s", version).isTrue();
                        }
                    }
                }).row("in host byte order", "adds a value of 258 on a little-endian machine", () -> {
                    for (RawClient client : both) {
                        byte[] add = RawClient.command(WRITE, 1, 258, 2);
                        assertThat(add[4]).isEqualTo((byte) 2);
                        client.ask(add);
                        assertThat(client.await(RawClient.command(CHECK, 1, 0, 2), Reply::isMatch).value())
                                .isEqualTo(258);
                    }
                }).row("accepts the following commands", "adds, checks and removes a hash; another code is an error",
                        () -> {
                            for (RawClient client : both) {
                                byte[] check = RawClient.command(CHECK, 1, 0, 3);
                                client.ask(RawClient.command(WRITE, 1, 5, 3));
                                assertThat(client.await(check, Reply::isMatch).value()).isEqualTo(5);
                                client.ask(RawClient.command(CommandCode.DEL, 1, 0, 3));
                                assertThat(client.await(check, reply -> !reply.isMatch()).isMatch()).isFalse();
                            }
                            Reply unknown = weir.ask(RawClient.command(77, 1, 5, 3));
                            assertThat(unknown.value()).isEqualTo(ErrorCode.UNKNOWN_COMMAND);
                            assertThat(unknown.isMatch()).isFalse();
                        })
                .row("different hashes in a single storage", "adds hashes with two flags and reads the flags", () -> {
                    for (RawClient client : both) {
                        client.ask(RawClient.command(WRITE, 4, 5, 4));
                        client.ask(RawClient.command(WRITE, 9, 5, 5));
                        assertThat(client.await(RawClient.command(CHECK, 1, 0, 4), Reply::isMatch).flag()).isEqualTo(4);
                        assertThat(client.await(RawClient.command(CHECK, 1, 0, 5), Reply::isMatch).flag()).isEqualTo(9);
                    }
                }).row("added to the currently stored value", "adds 12, and then -20", () -> {
                    for (RawClient client : both) {
                        byte[] check = RawClient.command(CHECK, 1, 0, 6);
                        client.ask(RawClient.command(WRITE, 1, 12, 6));
                        assertThat(client.await(check, Reply::isMatch).value()).isEqualTo(12);
                        byte[] less = RawClient.command(WRITE, 1, -20, 6);
                        less[8]++;
                        client.ask(less);
                        assertThat(client.await(check, reply -> reply.value() == -8).value()).isEqualTo(-8);
                    }
                }).row("equal to the value in the request", "compares the tags of replies", () -> {
                    for (RawClient client : both) {
                        assertThat(client.ask(RawClient.command(CHECK, 1, 0, 7)).tag()).isEqualTo(0x01020304);
                    }
                }).row("`blake2b` hash", "checks a digest that differs in one bit: no match", () -> {
                    for (RawClient client : both) {
                        client.ask(RawClient.command(WRITE, 1, 5, 60));
                        byte[] check = RawClient.command(CHECK, 1, 0, 60);
                        assertThat(client.await(check, Reply::isMatch).isMatch()).isTrue();
                        check[check.length - 1] ^= 1;
                        assertThat(client.ask(check).isMatch()).isFalse();
                    }
                }).row("rejects commands that", "states 31 shingles and sends 32: Weir refuses with 400, "
                        + "Rspamd 3.4 answers", () -> {
                            byte[] check = RawClient.shingled(CHECK, 8, 8, 32);
                            check[2] = 31;
                            assertThat(weir.ask(check).value()).isEqualTo(ErrorCode.WRONG_SHINGLES);
                            assertThat(rspamd.ask(check).value()).isZero();
                        })
                .row("size is not equal",
                        "sends shingles of other lengths, also 1, 16, 31, 33 and 64 whole shingles with "
                                + "that count: no answer",
                        () -> {
                            byte[] check = RawClient.shingled(CHECK, 9, 9, 32);
                            for (int count : new int[]{1, 16, 31, 33, 64}) {
                                byte[] other = java.util.Arrays.copyOf(check, check.length + (count - 32) * Long.BYTES);
                                other[2] = (byte) count;
                                for (RawClient client : both) {
                                    assertThat(client.ignores(other)).as("%s shingles", count).isTrue();
                                }
                            }
                            for (int length : new int[]{check.length - 1, check.length - 8}) {
                                byte[] cut = java.util.Arrays.copyOf(check, length);
                                for (RawClient client : both) {
                                    assertThat(client.ignores(cut)).isTrue();
                                }
                            }
                        })
                .row("reply format", "reads value, flag, tag and probability from 16 bytes", () -> {
                    for (RawClient client : both) {
                        client.ask(RawClient.command(WRITE, 3, 21, 10));
                        client.await(RawClient.command(CHECK, 1, 0, 10), Reply::isMatch);
                        byte[] reply = client.bytes(RawClient.command(CHECK, 1, 0, 10)).orElseThrow();
                        ByteBuffer fields = ByteBuffer.wrap(reply)
                                .order(ByteOrder.LITTLE_ENDIAN);
                        assertThat(reply).hasSize(16);
                        assertThat(List.of(fields.getInt(), fields.getInt(), fields.getInt()))
                                .containsExactly(21, 3, 0x01020304);
                        assertThat(fields.getFloat()).isEqualTo(1);
                    }
                }).row("0.0 (no match) to 1.0", "checks an unknown and a known hash", () -> {
                    for (RawClient client : both) {
                        assertThat(client.ask(RawClient.command(CHECK, 1, 0, 11)).probability()).isZero();
                        assertThat(client.ask(RawClient.command(CHECK, 1, 0, 10)).probability()).isEqualTo(1);
                    }
                });
    }

    void storage(Promises promises) {
        promises.row("uses `sqlite3` for storing hashes", "the database begins as files of SQLite do, and SQLite finds "
                + "it sound", () -> {
                    try (InputStream file = Files.newInputStream(data.resolve("fuzzy.db"))) {
                        assertThat(new String(file.readNBytes(15), StandardCharsets.US_ASCII))
                                .isEqualTo("SQLite format 3");
                    }
                    try (Connection database = open();
                            ResultSet row = database.createStatement().executeQuery("PRAGMA quick_check")) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getString(1)).isEqualTo("ok");
                    }
                });
        promises.differs("`VACUUM` command is executed on startup", "the storage compacts the database when that is "
                + "worthwhile, and not at a start: rows that are free stay until then",
                "no choice: a start must be quick",
                () -> {
                    try (Connection database = open();
                            ResultSet row = database.createStatement()
                                    .executeQuery("PRAGMA freelist_count")) {
                        assertThat(row.next()).isTrue();
                    }
                }).differs("expiration is performed", "the storage removes old hashes while it runs, as Rspamd does",
                        "`expire`",
                        () -> assertThat(settings.storage("hash_file = \"/srv/x/fuzzy.db\"; expire = 1h;").sound()
                                .times().expire()).isEqualTo(Duration.ofHours(1)))
                .row("internal database structure", "finds the columns of the page in both tables", () -> {
                    try (Connection database = open();
                            ResultSet digests = database.createStatement()
                                    .executeQuery("SELECT id, flag, digest, value, time FROM digests");
                            ResultSet shingles = database.createStatement()
                                    .executeQuery("SELECT value, number, digest_id FROM shingles")) {
                        assertThat(digests.getMetaData().getColumnCount()).isEqualTo(5);
                        assertThat(shingles.getMetaData().getColumnCount()).isEqualTo(3);
                    }
                });
        promises.row("about once per minute", "reads the default of sync", () -> assertThat(
                settings.storage("hash_file = \"/srv/x/fuzzy.db\";").sound().times().sync())
                .isEqualTo(Duration.ofMinutes(1)))
                .row("tools for working with the hashes", "reads the tables with SQLite", () -> {
                    weir.ask(RawClient.command(WRITE, 8, 33, 12));
                    Weir.run(data, "control", "fuzzysync", "--data", data.toString()).succeeded();
                    try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + data.resolve("fuzzy.db"));
                            ResultSet row = database.createStatement()
                                    .executeQuery("SELECT value, time FROM digests WHERE flag = 8")) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getInt(1)).isEqualTo(33);
                        assertThat(row.getLong(2)).isPositive();
                    }
                });
    }

    private Connection open() throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + data.resolve("fuzzy.db"));
    }

    void operation(Promises promises) {
        promises.row("value is returned immediately", "an equal digest counts although its shingles are others", () -> {
            both.forEach(client -> ask(client, RawClient.shingled(WRITE, 40, 88, 0)));
            for (RawClient client : both) {
                assertThat(client.await(RawClient.shingled(CHECK, 40, 77, 0), Reply::isMatch).probability())
                        .isEqualTo(1);
            }
        });
        promises.row("if a command contains shingles", "an unknown digest with shingles finds a similar hash, and one "
                + "without does not", () -> {
                    both.forEach(client -> ask(client, RawClient.shingled(WRITE, 45, 66, 0)));
                    for (RawClient client : both) {
                        assertThat(client.await(RawClient.shingled(CHECK, 46, 66, 4), Reply::isMatch).isMatch())
                                .isTrue();
                        assertThat(client.ask(RawClient.command(CHECK, 1, 0, 46)).isMatch()).isFalse();
                    }
                });
        promises.row("More than 50%", "17 equal shingles match and 16 do not; SQLite in Rspamd counts one too few",
                () -> {
                    both.forEach(client -> ask(client, RawClient.shingled(WRITE, 20, 99, 0)));
                    for (int equal : new int[]{17, 18, 24}) {
                        byte[] check = RawClient.shingled(CHECK, 100 + equal, 99, 32 - equal);
                        assertThat(ask(weir, check).probability()).isEqualTo(equal / 32f);
                    }
                    assertThat(rspamd.await(RawClient.shingled(CHECK, 118, 99, 14), Reply::isMatch).probability())
                            .isEqualTo(17 / 32f);
                    assertThat(ask(rspamd, RawClient.shingled(CHECK, 117, 99, 15)).isMatch()).isFalse();
                    both.forEach(client -> assertThat(ask(client, RawClient.shingled(CHECK, 116, 99, 16)).isMatch())
                            .isFalse());
                });
    }

    private static Reply ask(RawClient client, byte[] request) {
        try {
            return client.ask(request);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The options of the newer edition. */
    void options(Promises promises) {
        promises.row("path to the sqlite storage", "a storage keeps its hashes in a file of another name, where SQLite "
                + "reads them", () -> {
                    Path file = data.resolveSibling("any").resolve("spam.sqlite");
                    Path configuration = Files.writeString(data.resolveSibling("any.conf"),
                            "worker \"fuzzy\" { bind_socket = \"127.0.0.1:0\"; hashfile = \"" + file
                                    + "\"; allow_update = \"127.0.0.1\"; }\n");
                    try (WeirStorage storage = WeirStorage.configured(configuration)) {
                        new RawClient(storage.port()).ask(RawClient.command(WRITE, 8, 33, 12));
                    }
                    try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + file);
                            ResultSet row = database.createStatement()
                                    .executeQuery("SELECT value FROM digests WHERE flag = 8")) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getInt(1)).isEqualTo(33);
                    }
                }).row("hash_file, file, database", "reads each name of the option", () -> {
                    for (String name : List.of("hashfile", "hash_file", "file", "database")) {
                        assertThat(settings.storage(name + " = \"/srv/x/fuzzy.db\";").sound().dataDir())
                                .isEqualTo(Path.of("/srv/x"));
                    }
                })
                .row("backend", "redis names the servers that nodes share; without any, it is refused", () -> {
                    assertThat(settings.storage("hashfile = \"/srv/x/fuzzy.db\"; backend = \"redis\";").messages())
                            .contains("needs servers");
                    assertThat(
                            settings.storage("hashfile = \"/srv/x/fuzzy.db\"; backend = \"redis\"; servers = \"r1\";")
                                    .sound().nodes().shared())
                            .asString().contains("r1:6379");
                })
                .row("sync, expire", "reads both with units; the defaults are 60 seconds and 2 days", () -> {
                    StorageConfig usual = storage("");
                    assertThat(usual.times().expire()).isEqualTo(Duration.ofDays(2));
                    StorageConfig given = storage("sync = 1min; expire = 90d;");
                    assertThat(given.times().sync()).isEqualTo(Duration.ofMinutes(1));
                    assertThat(given.times().expire()).isEqualTo(Duration.ofDays(90));
                })
                .row("default value: 60", "numbers without a unit are seconds", () -> {
                    StorageConfig given = storage("sync = 30; expire = 3600;");
                    assertThat(given.times().sync()).isEqualTo(Duration.ofSeconds(30));
                    assertThat(given.times().expire()).isEqualTo(Duration.ofHours(1));
                })
                .row("via rspamadm keypair -u", "reads the block that rspamadm prints",
                        () -> assertThat(storage(Programs.run(data, "rspamadm", "keypair", "-u").succeeded().out())
                                .access().keys()).hasSize(1))
                .row("forbid all unknown keys or plaintext requests",
                        "with encrypted_only, a plain request is refused, "
                                + "an unknown key gets no answer, and a known one does",
                        this::encryptedOnly)
                .row("can be repeated for different keys", "reads two key pairs of weir keypair", () -> {
                    String pairs = Weir.run(data, "keypair").succeeded().out()
                            + Weir.run(data, "keypair").succeeded().out();
                    assertThat(storage(pairs + "encrypted_only = true;").access().keys()).hasSize(2);
                })
                .differs("keypair_cache_size", "is taken, with a warning that it has no effect",
                        "no choice: each thread has its own cache", () -> assertThat(
                                settings.storage("hashfile = \"/srv/x/fuzzy.db\"; keypair_cache_size = 512;")
                                        .messages())
                                .contains("warning", "keypair_cache_size", "no effect"))
                .row("allow requests only encrypted", "encrypted_only without a key pair is an error",
                        () -> assertThat(settings.storage("hashfile = \"/srv/x/fuzzy.db\"; encrypted_only = yes;")
                                .messages()).contains("requires a keypair"))
                .row("master_timeout", "reads it; 10 seconds without", () -> {
                    assertThat(slave("").timeout()).isEqualTo(Duration.ofSeconds(10));
                    assertThat(slave("master_timeout = 5s;").timeout()).isEqualTo(Duration.ofSeconds(5));
                })
                .row("sync_keypair", "reads a key pair of weir keypair; a slave without one is an error", () -> {
                    assertThat(slave("").temporary()).isFalse();
                    assertThat(settings.storage("hashfile = \"/srv/x/fuzzy.db\"; masters = \"192.0.2.1\";").messages())
                            .contains("sync_keypair { } is missing");
                })
                .row("masters", "reads addresses and networks", () -> assertThat(slave("").masters())
                        .satisfies(masters -> assertThat(masters.contains(java.net.InetAddress
                                .ofLiteral("192.0.2.1"))).isTrue()))
                .row("master_key", "reads a public key; without one, everybody at these addresses, with a warning",
                        () -> {
                            String key = KeyPair.generate(new SecureRandom())
                                    .publicKey().base32();
                            assertThat(slave("master_key = \"" + key + "\";").masterKey()).hasToString(key);
                            assertThat(settings.storage("hashfile = \"/srv/x/fuzzy.db\"; masters = \"192.0.2.1\";")
                                    .messages()).contains("without master_key");
                        })
                .row("slave", "reads two slaves with their hosts", () -> assertThat(storage(SLAVES).nodes().push())
                        .satisfies(push -> assertThat(push.slaves()).hasSize(2)))
                .row("mirror", "is another name of slave",
                        () -> assertThat(storage(SLAVES.replace("slave {", "mirror {")).nodes().push())
                                .satisfies(push -> assertThat(push.slaves()).hasSize(2)))
                .row("allow_update", "reads a string, an array and a map", () -> {
                    Path map = Files.writeString(data.resolveSibling("writers.map"), "192.0.2.9\n");
                    List<String> forms = new ArrayList<>(List.of("\"127.0.0.1\"", "[\"127.0.0.1\", \"::1\"]"));
                    forms.add("\"" + map + "\"");
                    for (String form : forms) {
                        assertThat(storage("allow_update = " + form + ";").access().updates().sources()).isNotNull();
                    }
                })
                .row("example configuration", "reads the sample with the variable for the folder", () -> assertThat(
                        settings.storage("""
                                worker "fuzzy" {
                                   bind_socket = "*:11335";
                                   hashfile = "${DBDIR}/fuzzy.db"
                                   expire = 90d;
                                   allow_update = ["127.0.0.1", "::1"];
                                }
                                """).sound().times().expire()).isEqualTo(Duration.ofDays(90)));
    }

    /** What the page says about versions. */
    void compatibility(Promises promises) {
        promises.row("rspamd clients of all versions",
                "versions 2 to 5 of a command, all that Rspamd had, get an answer of "
                        + "their form",
                () -> {
                    for (int version = 2; version <= 5; version++) {
                        byte[] check = RawClient.command(CHECK, 1, 0, 50);
                        check[0] = (byte) version;
                        assertThat(weir.bytes(check)).as("version %s", version).isPresent();
                    }
                })
                .row("legacy versions (less than 0.8)", "Weir stores and finds a hash in their text form, without "
                        + "shingles; Rspamd 3.4 is silent", () -> {
                            assertThat(text(weir, legacy(1, 5))).isEqualTo("OK\r\n");
                            assertThat(text(weir, legacy(0, 0))).isEqualTo("OK 5 1\r\n");
                            byte[] check = RawClient.shingled(CHECK, 70, 70, 0);
                            System.arraycopy(legacy(0, 0), LEGACY_HASH, check, DIGEST, Protocol.DIGEST);
                            assertThat(ask(weir, check).probability()).isEqualTo(1);
                            check[DIGEST] ^= 1;
                            assertThat(ask(weir, check).isMatch()).isFalse();
                            assertThat(rspamd.ignores(legacy(0, 0))).isTrue();
                        })
                .row("won't get anything from the legacy storages", "a storage that answers nothing: the scan ends "
                        + "incomplete and without a symbol", () -> {
                            try (DatagramPeer silent = DatagramPeer.start((peer, datagram, from) -> {})) {
                                ScanResult result = scan(silent.port(), "timeout = 0.05s; retransmits = 0;");
                                assertThat(result.complete()).isFalse();
                                assertThat(result.symbols()).isEmpty();
                            }
                        });
    }

    /** A request in the text form of Rspamd 0.3 to 0.7. */
    private static byte[] legacy(int command, int value) {
        ByteBuffer request = ByteBuffer.allocate(Protocol.TEXT_COMMAND).order(ByteOrder.LITTLE_ENDIAN);
        request.put((byte) command).position(8).putInt(value).putInt(1).put("0123456789abcdef".repeat(4)
                .getBytes(StandardCharsets.US_ASCII));
        return request.array();
    }

    private static String text(RawClient client, byte[] request) throws IOException {
        return new String(client.bytes(request).orElseThrow(), StandardCharsets.US_ASCII);
    }

    private ScanResult scan(int port, String options) throws IOException {
        try (FuzzyCheck check = FuzzyCheck.open(settings.rules("rule { servers = \"127.0.0.1:" + port + "\"; algorithm "
                + "= \"mumhash\"; fuzzy_map { A { flag = 1; max_score = 1 } } " + options + " }").sound(),
                MailHasher.standard())) {
            return check.check(("Content-Type: text/plain\n\n" + "a few words of a text ".repeat(40) + "\n")
                    .getBytes(StandardCharsets.US_ASCII), ScanContext.NONE).join();
        }
    }

    private void encryptedOnly() throws Exception {
        KeyPair key = KeyPair.generate(new SecureRandom());
        Path file = Files.writeString(data.resolveSibling("closed.conf"), "worker \"fuzzy\" { bind_socket = "
                + "\"127.0.0.1:0\"; hashfile = \"" + data.resolveSibling("closed")
                + "/fuzzy.db\"; encrypted_only = true; "
                + key.toUcl() + " }\n");
        try (WeirStorage storage = WeirStorage.configured(file)) {
            assertThat(new RawClient(storage.port()).ask(RawClient.command(CHECK, 1, 0, 1)).value())
                    .isEqualTo(ErrorCode.ENCRYPTION_REQUIRED);
            assertThat(scan(storage.port(), "encryption_key = \"" + key.publicKey().base32() + "\";").complete())
                    .isTrue();
            String other = KeyPair.generate(new SecureRandom()).publicKey().base32();
            assertThat(scan(storage.port(), "timeout = 0.2s; retransmits = 0; encryption_key = \"" + other + "\";")
                    .complete()).isFalse();
        }
    }

    private dev.weir.storage.push.PushSettings slave(String options) throws Exception {
        return java.util.Objects.requireNonNull(storage("masters = \"192.0.2.0/24\"; " + options
                + Weir.run(data, "keypair").succeeded().out().replaceFirst("keypair", "sync_keypair")).nodes().push());
    }

    StorageConfig storage(String options) throws Exception {
        return settings.storage("hashfile = \"/srv/x/fuzzy.db\"; " + options).sound();
    }
}
