package dev.weir.interop;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.weir.storage.DataFolder;
import dev.weir.storage.history.MetricHistory;
import dev.weir.storage.history.Series;
import dev.weir.storage.history.Span;
import dev.weir.storage.stats.AnswerTimes;
import dev.weir.testkit.FreePort;
import dev.weir.testkit.WeirProgram;

/**
 * {@code weir serve} with passwords, a key and a load, for the tests of the page. The loopback address is no trusted
 * one, so the page asks for a password.
 */
final class PageServer implements AutoCloseable {
    static final String READ = "only look";
    static final String CHANGE = "may change";
    /** A name of a key that a careless page would run. */
    static final String HOSTILE_NAME = "<script>hacked=1</script><img src=x onerror=hacked=1>";

    /** A script of the storage blocks who asks for this flag, for an hour. */
    static final int BLOCKING_FLAG = 99;

    private final String name;
    private final Path scratch;
    private final Path configuration;
    private final Path script;
    private final KeyFile key;
    private final KeyFile node;
    private final KeyFile standby;
    private final int storage;
    private final int http;
    private final int feed;
    /** How long words are kept. */
    private String words = "0";
    /** Whether clients may learn. */
    private boolean learning = true;
    /** The time without a request after which a session ends. */
    private String idle = "30min";
    private WeirHttp weir;
    private final Process load;

    private PageServer(Path scratch, String name) throws IOException, InterruptedException {
        this.name = name;
        this.scratch = scratch;
        this.configuration = scratch.resolve("weir.conf");
        this.script = Files.writeString(scratch.resolve("block.lua"), """
                rspamd_config:add_on_load(function(cfg, ev_base, worker)
                  worker:add_fuzzy_pre_handler(function(ip, cmd, digest, is_shingle, extensions, shingle, flag)
                    if flag == %d then worker:block_fuzzy_client(ip, 32, os.time() + 3600) end
                  end)
                end)
                """.formatted(BLOCKING_FLAG));
        this.key = KeyFile.generate(scratch);
        this.node = KeyFile.generate(scratch);
        this.standby = KeyFile.generate(scratch);
        this.storage = FreePort.find();
        this.http = FreePort.find();
        this.feed = FreePort.find();
        Files.createDirectory(data());
        Files.writeString(keys(), "[]");
        fillHistory();
        configure(CHANGE, 10);
        this.weir = WeirHttp.configured(scratch, configuration);
        this.load = new ProcessBuilder(WeirProgram.command(List.of("bench", "127.0.0.1:" + storage, "--hashes", "500",
                "--preload", "--mix", "exact=3,fuzzy24=2,miss=5", "--rate", "200", "--learns", "2", "--duration",
                "600"))).redirectErrorStream(true).redirectOutput(scratch.resolve("load.log").toFile()).start();
    }

    /**
     * Starts it.
     *
     * @param name of the only key
     */
    static PageServer start(Path scratch, String name) throws Exception {
        return new PageServer(scratch, name);
    }

    /** Writes the configuration with another password or weight. */
    void configure(String password, int weight) throws IOException {
        Files.writeString(configuration, """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; %15$s
                  %4$s dynamic_keys_map = "%12$s";
                  lua_script = "%14$s";
                  replication { %8$s bind_socket = "127.0.0.1:%9$d"; follower "standby" { key = "%10$s"; } }
                }
                worker "controller" {
                  bind_socket = "127.0.0.1:%3$d"; secure_ip = ["192.0.2.1"];
                  password = "%5$s"; enable_password = "%6$s"; word_samples = %11$s; session_idle = %13$s;
                }
                fuzzy_check { rule "local" {
                  algorithm = "mumhash"; servers = "127.0.0.1:%1$d"; symbol = "LOCAL"; mime_types = ["*"];
                  max_score = 20; read_only = false; timeout = 10s; # the machine may be busy
                  fuzzy_map = { LOCAL_DENIED { flag = 11; max_score = 20; } LOCAL_WHITE { flag = 12; max_score = 10; } }
                } }
                group "fuzzy" {
                  symbol "LOCAL_DENIED" { weight = %7$d.0; } symbol "LOCAL_WHITE" { weight = -5.0; }
                }
                """.formatted(storage, data(), http, key.text().replaceFirst("}\\s*$",
                "  extensions { name = \"" + name + "\"; }\n}"), READ, password, weight, node.text(), feed,
                standby.publicKey(), words, keys(), idle, script,
                learning ? "allow_update = [\"127.0.0.1\", \"127.0.0.3\"];" : "read_only = true;"));
    }

    /** Has the first words of mails kept for a time, or none with {@code 0}. */
    void keepWords(String time) throws Exception {
        words = time;
        configure(CHANGE, 10);
        reload();
    }

    /** Has sessions end after a time without a request. */
    void endSessionsAfter(String time) throws Exception {
        idle = time;
        configure(CHANGE, 10);
        reload();
    }

    /** Lets clients learn, or not. */
    void letLearn(boolean may) throws Exception {
        learning = may;
        configure(CHANGE, 10);
        reload();
    }

    /** Returns the database that mirrors the store. */
    Path database() {
        return data().resolve("fuzzy.db");
    }

    /** Returns the public key of the storage. */
    String publicKey() {
        return key.publicKey();
    }

    /** Returns the UDP port of the storage. */
    int storage() {
        return storage;
    }

    /** Starts a follower. */
    WeirHttp follower() throws IOException {
        Path folder = Files.createDirectory(scratch.resolve("follower"));
        Path file = Files.writeString(folder.resolve("weir.conf"), """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%d"; hash_file = "%s/fuzzy.db";
                  replication { %s leader = "127.0.0.1:%d"; leader_key = "%s"; }
                }
                worker "controller" { bind_socket = "127.0.0.1:%d"; }
                """.formatted(FreePort.find(), folder, standby.text(), feed, node.publicKey(),
                FreePort.find()));
        return WeirHttp.configured(folder, file);
    }

    /**
     * Writes the history of a storage that ran for 90 days until an hour ago, with more checks by day than by night.
     */
    // The order of the figures is part of the file.
    @SuppressWarnings("EnumOrdinal")
    private void fillHistory() {
        long now = System.currentTimeMillis();
        long[] figures = new long[Series.values().length];
        try (MetricHistory history = MetricHistory.open(data().resolve(DataFolder.HISTORY))) {
            for (Span span : List.of(Span.QUARTER, Span.DAY)) {
                long step = span.step().toMillis();
                long length = span == Span.QUARTER ? Duration.ofDays(90).toMillis() : Duration.ofDays(1).toMillis();
                for (long time = now - length; time < now - Duration.ofHours(1).toMillis(); time += step) {
                    double hour = (double) time / Duration.ofHours(1).toMillis();
                    double rate = 150 - 100 * Math.cos(hour * 2 * Math.PI / 24);
                    figures[Series.CHECKS.ordinal()] += (long) (rate * span.step().toSeconds());
                    figures[Series.HITS.ordinal()] += (long) (rate / 4 * span.step().toSeconds());
                    history.sample(time, figures, AnswerTimes.none());
                }
            }
        }
    }

    private Path data() {
        return scratch.resolve("db");
    }

    /** Returns the file of dynamic keys. */
    Path keys() {
        return scratch.resolve("keys");
    }

    /** Runs {@code weir keys} with its subcommand and arguments. */
    Programs.Result keys(String command, String... arguments) throws Exception {
        return control("keys", command, arguments);
    }

    /** Runs a command for a running storage with its subcommand and arguments. */
    Programs.Result control(String command, String subcommand, String... arguments) throws Exception {
        List<String> words = new ArrayList<>(List.of(command, subcommand, "--data", data().toString()));
        words.addAll(List.of(arguments));
        return Weir.run(scratch, words.toArray(String[]::new));
    }

    /** Asks the storage for an answer that is encrypted with a key. */
    Programs.Result ping(String publicKey) throws Exception {
        return Weir.run(scratch, "ping", "--server", "127.0.0.1:" + storage, "--encryption-key", publicKey,
                "--retransmits", "5");
    }

    /** Puts the written configuration in force. */
    void reload() throws Exception {
        Weir.run(scratch, "control", "reload", "--data", data().toString()).succeeded();
    }

    /** Ends the process. */
    void stop() {
        weir.close();
    }

    /** Starts the process again at the same address. */
    void startAgain() throws IOException {
        weir = WeirHttp.configured(scratch, configuration);
    }

    String address() {
        return "http://127.0.0.1:" + http + "/";
    }

    /** Returns the address under another name, for which a browser has other cookies. */
    String otherAddress() {
        return "http://localhost:" + http + "/";
    }

    Programs.Result rspamc(String... arguments) throws IOException, InterruptedException {
        return weir.rspamc(arguments);
    }

    @Override
    public void close() {
        load.destroy();
        weir.close();
    }
}
