package dev.weir.bench.campaigns;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.weir.bench.peer.RspamdInstallation;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.testkit.FreePort;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The whole chain: a real Rspamd scans each mail, with {@code fuzzy_check} and with the plugin that asks Weir, and then
 * learns it. {@code fuzzy_check} has a storage of its own, which only Rspamd's controller teaches, so its hits are what
 * Rspamd recognizes alone. The plugin teaches Weir through the controller's path.
 */
final class ThroughRspamd implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration START = Duration.ofMinutes(10);
    private static final String ALONE = "FUZZY_DENIED";
    private static final String PLUGIN = "WEIR_DENIED";
    private static final String FAILED = "WEIR_FAIL";

    private final JsonMapper json = new JsonMapper();
    private final HttpClient client = HttpClient.newHttpClient();
    private final Workspace workspace;
    private final int scanner;
    private final int controller;
    private int failed;
    /** How many learns had no success, by what Rspamd answered. */
    private final Map<String, Integer> unlearned = new TreeMap<>();

    /** What a mail was recognized by. */
    record Recognized(BitSet alone, BitSet chain) {}

    private ThroughRspamd(Workspace workspace) throws IOException {
        this.workspace = workspace;
        this.scanner = FreePort.find();
        this.controller = FreePort.find();
    }

    /**
     * Starts the storage of {@code fuzzy_check}, Weir and Rspamd.
     *
     * @param dir where their folders are made
     * @param weir the command line that runs {@code weir}
     * @param plugin the folder of {@code weir.lua} and {@code weir.conf}
     */
    static ThroughRspamd start(Path dir, List<String> weir, RspamdInstallation rspamd, Path plugin)
            throws IOException, InterruptedException {
        Workspace workspace = Workspace.open(dir);
        try {
            ThroughRspamd chain = new ThroughRspamd(workspace);
            WeirProcess storage = WeirProcess.start(workspace, weir, workspace.newFolder("alone"));
            int http = chain.startWeir(weir);
            chain.startRspamd(rspamd, plugin, storage.address().getPort(), http);
            return chain;
        } catch (IOException | InterruptedException | RuntimeException e) {
            workspace.close();
            throw e;
        }
    }

    private int startWeir(List<String> weir) throws IOException, InterruptedException {
        Path folder = workspace.newFolder("weir");
        int storage = FreePort.find();
        int http = FreePort.find();
        Path config = Files.writeString(folder.resolve("weir.conf"),
                """
                        worker "fuzzy" { bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; allow_update = "127.0.0.1"; }
                        worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = "127.0.0.1"; }
                        group "fuzzy" { symbols { FUZZY_DENIED { weight = 12 } FUZZY_WHITE { weight = -2.1 } } }
                        fuzzy_check { rule "local" {
                          servers = "127.0.0.1:%1$d"; algorithm = mumhash; mime_types = ["*"]; html_shingles = true;
                          fuzzy_map { FUZZY_DENIED { flag = 1; max_score = 20 } FUZZY_WHITE { flag = 3; max_score = 2 } }
                          kinds { recommended = true; trusted_hosts = "mail.example.org" }
                        } }
                        """
                        .formatted(storage, folder, http));
        List<String> command = new ArrayList<>(weir);
        command.addAll(List.of("serve", "-c", config.toString()));
        Path log = folder.resolve("console.log");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().merge("WEIR_JAVA_OPTS", "-Dweir.log.level=WARN", (old, more) -> old + " " + more);
        await(workspace.start(builder), http, log);
        return http;
    }

    private void startRspamd(RspamdInstallation rspamd, Path plugin, int storage, int http)
            throws IOException, InterruptedException {
        Path folder = workspace.newFolder("rspamd");
        Files.createDirectory(folder.resolve("local.d"));
        Files.writeString(folder.resolve("local.d/weir.conf"),
                "enabled = true; servers = \"127.0.0.1:" + http + "\"; check_local = true; timeout = 60s;\n");
        Path config = Files.writeString(folder.resolve("rspamd.conf"),
                """
                        options {
                          pidfile = "%1$s/rspamd.pid"; cache_file = "%1$s/symbols.cache";
                          control_socket = "%1$s/c.sock mode=0600"; dynamic_conf = "%1$s/dyn";
                          history_file = "%1$s/hist"; stats_file = "%1$s/stats"; rrd = "%1$s/rrd"; hs_cache_dir = "%1$s";
                          tempdir = "%1$s"; url_tld = "%4$s/effective_tld_names.dat"; task_timeout = 120s;
                          explicit_modules = []; filters = "fuzzy_check"; disable_hyperscan = true;
                          dns { nameserver = ["127.0.0.1:9"]; timeout = 0.05s; retransmits = 1; sockets = 1; }
                        }
                        logging { type = "file"; filename = "%1$s/rspamd.log"; level = "error"; }
                        worker "normal" { bind_socket = "127.0.0.1:%2$d"; count = 1; mime = true; }
                        worker "controller" { bind_socket = "127.0.0.1:%3$d"; count = 1; secure_ip = ["127.0.0.1"]; }
                        actions { reject = 1000; add_header = 500; greylist = 400; }
                        group "fuzzy" { symbol "FUZZY_DENIED" { weight = 12.0; } }
                        lang_detection { .include(try=true) "%5$s/lang_detection.inc" }
                        fuzzy_check { min_bytes = 1k; timeout = 5s; retransmits = 3;
                          rule "alone" {
                            algorithm = "mumhash"; servers = "127.0.0.1:%6$d"; symbol = "FUZZY_UNKNOWN"; read_only = false;
                            mime_types = ["*"]; skip_unknown = true; short_text_direct_hash = true; min_length = 64;
                            html_shingles = true;
                            fuzzy_map = { FUZZY_DENIED { max_score = 20.0; flag = 1; } }
                          }
                        }
                        .include "%7$s/weir.conf"
                        modules { path = "%7$s/weir.lua"; }
                        """
                        .formatted(folder, scanner, controller, rspamd.share(), rspamd.etc(), storage, plugin));
        List<String> command = new ArrayList<>(List.of(rspamd.program(), "-f", "-i", "-c",
                config.toString()));
        command.addAll(rspamd.variables(folder));
        Path log = folder.resolve("console.log");
        Process process = workspace.start(new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(log.toFile()));
        await(process, scanner, log);
        await(process, controller, log);
    }

    private static void await(Process process, int port, Path log) throws IOException, InterruptedException {
        long giveUp = System.nanoTime() + START.toNanos();
        while (System.nanoTime() < giveUp) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return;
            } catch (ConnectException notYet) {
                if (process.waitFor(Duration.ofMillis(50))) {
                    break;
                }
            }
        }
        throw new IOException("port " + port + " did not open:\n" + Files.readString(log));
    }

    /** Scans and learns each mail of the spam, then scans the mails of honest senders. */
    Recognized run(Corpus corpus) throws IOException, InterruptedException {
        Recognized recognized = new Recognized(new BitSet(), new BitSet());
        for (int mail = 0; mail < corpus.mails().size(); mail++) {
            byte[] content = corpus.mails().get(mail).content();
            JsonNode symbols = json.readTree(post(scanner, "/checkv2", content, List.of())).path("symbols");
            recognized.alone.set(mail, symbols.has(ALONE));
            recognized.chain.set(mail, symbols.has(ALONE) || symbols.has(PLUGIN));
            failed += symbols.has(FAILED) ? 1 : 0;
            if (mail < corpus.spam()) {
                learn("fuzzy_check", "/fuzzyadd", content, List.of("Flag", "1", "Weight", "20"));
                learn("the plugin", "/plugins/weir/learn?class=spam", content, List.of());
            }
        }
        return recognized;
    }

    private void learn(String learner, String path, byte[] content, List<String> headers)
            throws IOException, InterruptedException {
        JsonNode reply = json.readTree(post(controller, path, content, headers));
        if (!reply.path("success").asBoolean(false)) {
            unlearned.merge(learner + ": " + reply.path("error").asString(reply.toString()), 1, Integer::sum);
        }
    }

    private String post(int port, String path, byte[] content, List<String> headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .version(HttpClient.Version.HTTP_1_1).timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofByteArray(content));
        if (!headers.isEmpty()) {
            request.headers(headers.toArray(String[]::new));
        }
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    }

    /** Returns how many mails Weir did not answer for, which the report must say. */
    int failed() {
        return failed;
    }

    /** Returns how many learns had no success, by who learned and what it answered. */
    Map<String, Integer> unlearned() {
        return unlearned;
    }

    @Override
    public void close() {
        client.close();
        workspace.close();
    }
}
