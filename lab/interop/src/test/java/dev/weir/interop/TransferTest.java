package dev.weir.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.FreePort;
import dev.weir.testkit.RedisServer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests of imports from a real Rspamd and exports to one. */
class TransferTest {
    private static final JsonMapper JSON = new JsonMapper();
    private static final long FLUSH_SECONDS = 120;

    @TempDir
    Path scratch;

    @BeforeAll
    static void programs() {
        Programs.require("rspamd", "rspamc", "redis-server");
    }

    @Test
    void importsTheSqliteFileOfARunningRspamd() throws Exception {
        Path theirs = scratch.resolve("theirs.db");
        imports(RspamdPeer.sqlite(theirs), theirs.toString());
    }

    @Test
    void importsTheRedisOfARunningRspamd() throws Exception {
        try (RedisServer redis = RedisServer.start(scratch)) {
            imports(RspamdPeer.redis(redis.port()), "redis://127.0.0.1:" + redis.port());
        }
    }

    private void imports(String backend, String source) throws IOException, InterruptedException {
        Mails mails = Mails.in(scratch);
        int port = FreePort.find();
        Path data = scratch.resolve("data");
        List<JsonNode> theirs;
        JsonNode report;
        try (RspamdPeer rspamd = RspamdPeer.start(scratch,
                new RspamdPeer.Setup(port, null, new RspamdPeer.OwnStorage(port, backend, null)))) {
            rspamd.learn(mails.campaign(), 1, 10).succeeded();
            rspamd.learn(mails.modified(), 1, 7).succeeded();
            rspamd.learn(mails.unrelated(), 2, 5).succeeded();
            awaitKnown(port, mails.campaign());
            awaitKnown(port, mails.modified());
            awaitKnown(port, mails.unrelated());
            theirs = answers("127.0.0.1:" + port, mails);
            JsonNode dry = transfer("import", source, "--data", data.toString(), "--dry-run");
            assertThat(data).doesNotExist();
            report = transfer("import", source, "--data", data.toString());
            assertThat(dry.get("new")).isEqualTo(report.get("new"));
            assertThat(report.get("new").asLong()).isEqualTo(stored("127.0.0.1:" + port));
        }
        try (WeirStorage weir = WeirStorage.start(data)) {
            assertThat(stored(weir.address())).isEqualTo(report.get("new").asLong());
            assertThat(answers(weir.address(), mails)).isEqualTo(theirs);
        }
        if (!source.startsWith("redis")) {
            JsonNode again = transfer("import", source, "--data", data.toString());
            assertThat(again.get("unchanged")).isEqualTo(report.get("new"));
        }
    }

    @Test
    void exportsToAnSqliteFileOfRspamd() throws Exception {
        Path file = scratch.resolve("out.db");
        exports(file.toString(), RspamdPeer.sqlite(file));
    }

    @Test
    void exportsToTheRedisOfRspamd() throws Exception {
        try (RedisServer redis = RedisServer.start(scratch)) {
            exports("redis://127.0.0.1:" + redis.port() + "/0?prefix=fuzzy", RspamdPeer.redis(redis.port()));
        }
    }

    private void exports(String target, String backend) throws IOException, InterruptedException {
        Mails mails = Mails.in(scratch);
        Path data = Files.createDirectory(scratch.resolve("data"));
        List<JsonNode> ours;
        JsonNode report;
        // The database lags so far behind that everything must come from the update log.
        try (WeirStorage weir = WeirStorage.start(data, "--sync", "1h")) {
            learn(weir, 1, 10, mails.campaign());
            // It shares shingles with the first mail, as is usual in real storages.
            learn(weir, 1, 7, mails.modified());
            learn(weir, 2, 5, mails.unrelated());
            ours = answers(weir.address(), mails);
            // The storage keeps running while its hashes are read.
            report = transfer("export", target, "--data", data.toString());
            assertThat(report.get("new").asLong()).isEqualTo(stored(weir.address()));
        }
        int port = FreePort.find();
        try (RspamdPeer rspamd = RspamdPeer.start(scratch,
                new RspamdPeer.Setup(port, null, new RspamdPeer.OwnStorage(port, backend, null)))) {
            awaitKnown(port, mails.campaign());
            assertThat(answers("127.0.0.1:" + port, mails)).isEqualTo(ours);
            assertThat(rspamd.scan(mails.campaign())).contains(RspamdPeer.DENIED);
            assertThat(rspamd.scan(mails.modified())).contains(RspamdPeer.DENIED);
            assertThat(rspamd.scan(mails.unrelated())).contains(RspamdPeer.PROBABLE);
            assertThat(rspamd.scan(another(mails))).as("one more of the campaign").contains(RspamdPeer.DENIED);
        }
    }

    @Test
    void reportsAnEmptyRedis() throws Exception {
        try (RedisServer redis = RedisServer.start(scratch); Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
            put(jedis, hashKey("other", (byte) 'e'), "F", "1", "V", "2");
            String place = "redis://127.0.0.1:" + redis.port() + "/0?prefix=fuzzy";
            Programs.Result run = Weir.run(scratch, "import", place, "--data",
                    scratch.resolve("data").toString());
            assertThat(run.succeeded().err()).contains("no hashes were found in " + place, "another prefix");
        }
    }

    /** Returns a mail of the campaign that has not been learned. */
    private static Path another(Mails mails) throws IOException {
        String text = Files.readString(mails.campaign(), StandardCharsets.ISO_8859_1);
        assertThat(text).contains("Barrister Kola");
        return Files.writeString(mails.campaign().resolveSibling("another.eml"),
                text.replace("Barrister Kola", "Barrister Tunde"), StandardCharsets.ISO_8859_1);
    }

    @Test
    void importsKeysOfLaterReleases() throws Exception {
        Path data = scratch.resolve("data");
        try (RedisServer redis = RedisServer.start(scratch); Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
            byte[] listed = hashKey("f4", (byte) 'a');
            StringBuilder slots = new StringBuilder();
            for (int i = 0; i < 32; i++) {
                slots.append(i == 0 ? "" : ",").append(i).append('_').append(Long.toUnsignedString(-1L - i));
            }
            put(jedis, listed, "F", "3", "V", "10", "C", "1795229866", "F1", "4", "V1", "7", "F3", "5", "V3", "6", "S",
                    slots.toString());
            jedis.expire(listed, 7776000);
            // The layout of an earlier release: shingles in separate keys, one of which belongs to no hash.
            byte[] bare = hashKey("f4", (byte) 'b');
            put(jedis, bare, "F", "1", "V", "2", "C", "1795229000");
            for (int i = 0; i < 20; i++) {
                jedis.set(ascii("f4_" + i + "_" + (1000 + i)), bareDigest((byte) 'b'));
            }
            jedis.set(ascii("f4_25_77"), bareDigest((byte) 'z'));
            put(jedis, hashKey("f4", (byte) 'c'), "F", "1");
            jedis.set(hashKey("f4", (byte) 'd'), ascii("no hash"));
            jedis.set("f4_count", "4");
            jedis.set("f4local", "2");
            jedis.set("f4_something", "else");
            put(jedis, hashKey("other", (byte) 'e'), "F", "1", "V", "2");

            String source = "redis://127.0.0.1:" + redis.port() + "/?prefix=f4";
            JsonNode report = transfer("import", source, "--data", data.toString());
            assertThat(report.get("new").asLong()).isEqualTo(2);
            assertThat(report.get("leftOut").get("no_value").asLong()).isEqualTo(1);
            assertThat(report.get("leftOut").get("odd_type").asLong()).isEqualTo(1);
            assertThat(report.get("leftOut").get("other_key").asLong()).isEqualTo(1);
            assertThat(Files.exists(data.resolve("import-redis.spool"))).isFalse();

            // Export in the layout of later releases and import again must yield the same hashes.
            String copy = "redis://127.0.0.1:" + redis.port() + "/1?prefix=copy";
            transfer("export", copy, "--data", data.toString());
            jedis.select(1);
            byte[] copied = hashKey("copy", (byte) 'a');
            assertThat(jedis.hget(copied, ascii("S"))).isEqualTo(ascii(slots.toString()));
            assertThat(jedis.hget(copied, ascii("V2"))).isEqualTo(ascii("6"));
            assertThat(jedis.ttl(copied)).isBetween(7775000L, 7776000L);
            assertThat(jedis.get("copy_count")).isEqualTo("2");
            JsonNode same = transfer("import", copy, "--data", data.toString());
            assertThat(same.get("read").asLong()).isEqualTo(2);
            assertThat(same.get("new").asLong()).isZero();
            assertThat(transfer("export", copy, "--data", data.toString()).get("unchanged").asLong()).isEqualTo(2);
            JsonNode added = transfer("export", copy, "--data", data.toString(), "--merge", "add");
            assertThat(added.get("merged").asLong()).isEqualTo(2);
            assertThat(
                    transfer("export", copy, "--data", data.toString(), "--merge", "add").get("doneBefore").asBoolean())
                    .isTrue();
            assertThat(jedis.hget(copied, ascii("V"))).isEqualTo(ascii("20"));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] bareDigest(byte letter) {
        byte[] digest = new byte[64];
        Arrays.fill(digest, letter);
        return digest;
    }

    private static byte[] hashKey(String prefix, byte letter) {
        byte[] key = Arrays.copyOf(ascii(prefix), prefix.length() + 64);
        System.arraycopy(bareDigest(letter), 0, key, prefix.length(), 64);
        return key;
    }

    private static void put(Jedis jedis, byte[] key, String... fields) {
        for (int i = 0; i < fields.length; i += 2) {
            jedis.hset(key, ascii(fields[i]), ascii(fields[i + 1]));
        }
    }

    private JsonNode transfer(String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(words));
        command.add("--json");
        return JSON.readTree(Weir.run(scratch, command.toArray(String[]::new)).succeeded().out());
    }

    private void learn(WeirStorage weir, int flag, int weight, Path mail) throws IOException, InterruptedException {
        Weir.run(scratch, "learn", "-f", Integer.toString(flag), "-w", Integer.toString(weight), "--server",
                weir.address(), mail.toString()).succeeded();
    }

    private long stored(String address) throws IOException, InterruptedException {
        return JSON.readTree(Weir.run(scratch, "stat", "--json", "--server", address).succeeded().out()).get("hashes")
                .asLong();
    }

    private void awaitKnown(int port, Path mail) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(FLUSH_SECONDS);
        Programs.Result result;
        do {
            result = Weir.run(scratch, "check", "--server", "127.0.0.1:" + port, mail.toString());
        } while (result.exit() != ExitStatus.MATCH && System.nanoTime() < deadline);
        assertThat(result.exit()).as(result.out() + result.err()).isEqualTo(ExitStatus.MATCH);
    }

    /** Returns the answers of a storage for each mail, without probabilities, which Rspamd computes differently. */
    private List<JsonNode> answers(String address, Mails mails) throws IOException, InterruptedException {
        List<JsonNode> answers = new ArrayList<>();
        String[] lines = Weir.run(scratch, "check", "--json", "--server", address, mails.campaign().toString(),
                mails.modified().toString(), mails.unrelated().toString()).succeeded().out().split("\\R");
        assertThat(lines).hasSize(3);
        for (String line : lines) {
            ArrayNode matches = JSON.createArrayNode();
            for (JsonNode match : JSON.readTree(line).get("matches")) {
                matches.addObject().put("digest", match.get("digest").asString()).put("flag", match.get("flag").asInt())
                        .put("value", match.get("value").asLong());
            }
            assertThat(matches).as(line).isNotEmpty();
            answers.add(matches);
        }
        return answers;
    }
}
