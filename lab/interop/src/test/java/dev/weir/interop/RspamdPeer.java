package dev.weir.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.weir.testkit.FreePort;
import org.jspecify.annotations.Nullable;

/**
 * A real Rspamd in a separate folder: a scanner, a controller and optionally a fuzzy storage, all on loopback. It does
 * not read the machine's Rspamd configuration.
 */
final class RspamdPeer implements AutoCloseable {
    /** The symbol of flag 1 in {@code fuzzy_check}; the next one is of flag 2. */
    static final String DENIED = "WEIR_DENIED";

    static final String PROBABLE = "WEIR_PROBABLE";

    private static final long START_SECONDS = 180;

    /** How long a scan may take. A worker that is to end waits as long. */
    private static final int SCAN_SECONDS = 8;

    /** The same with the plugin, which may wait for Weir. */
    private static final int PLUGIN_SCAN_SECONDS = 120;

    private final Path folder;
    private final Process process;
    private final int scannerPort;
    private final int controllerPort;

    private RspamdPeer(Path folder, Process process, int scannerPort, int controllerPort) {
        this.folder = folder;
        this.process = process;
        this.scannerPort = scannerPort;
        this.controllerPort = controllerPort;
    }

    /**
     * The processes to start.
     *
     * @param storage the UDP port on loopback of the storage that {@code fuzzy_check} asks, or null
     * @param encryptionKey the public key of that storage, or null for plain text
     * @param ownStorage an additional fuzzy worker of Rspamd, or null
     */
    record Setup(@Nullable Integer storage, @Nullable String encryptionKey, @Nullable OwnStorage ownStorage) {}

    /**
     * A fuzzy worker of Rspamd.
     *
     * @param port UDP port on loopback
     * @param backend the options of its backend, see {@link #sqlite} and {@link #redis}
     * @param keypair a {@code keypair {…}} block, or null for plain text
     */
    record OwnStorage(int port, String backend, @Nullable String keypair) {}

    /** Returns the options of a worker with an SQLite file. */
    static String sqlite(Path database) {
        return "backend = \"sqlite\"; hashfile = \"" + database + "\";";
    }

    /** Returns the options of a worker with a Redis server on loopback. */
    static String redis(int port) {
        return "backend = \"redis\"; servers = \"127.0.0.1:" + port + "\";";
    }

    static RspamdPeer start(Path scratch, Setup setup) throws IOException, InterruptedException {
        return start(scratch, setup, "rspamd", "");
    }

    /**
     * Starts another Rspamd than that of the machine.
     *
     * @param program its name or path
     * @param ruleOptions further options of the rule
     */
    static RspamdPeer start(Path scratch, Setup setup, String program, String ruleOptions)
            throws IOException, InterruptedException {
        return start(scratch, setup, program, ruleOptions, Map.of(), "", SCAN_SECONDS);
    }

    /**
     * Starts a Rspamd with the plugin that asks Weir.
     *
     * @param options the content of {@code local.d/weir.conf}
     * @param further further sections of its configuration
     */
    static RspamdPeer withPlugin(Path scratch, Setup setup, String program, String options, String further)
            throws IOException, InterruptedException {
        Path plugin = Path.of("../../packages/rspamd").toRealPath();
        return start(scratch, setup, program, "", Map.of("local.d/weir.conf", options), """
                .include "%1$s/weir.conf"
                modules { path = "%1$s/weir.lua"; }
                %2$s
                """.formatted(plugin, further), PLUGIN_SCAN_SECONDS);
    }

    /**
     * @param files further files of its folder
     * @param further further sections of its configuration
     * @param scanSeconds how long a scan may take
     */
    private static RspamdPeer start(Path scratch, Setup setup, String program, String ruleOptions,
            Map<String, String> files, String further, int scanSeconds) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(scratch, "rspamd");
        // Rspamd's workers must reach the folder, whatever user they run as.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        int scannerPort = FreePort.find();
        int controllerPort = FreePort.find();
        for (Map.Entry<String, String> file : files.entrySet()) {
            Path path = folder.resolve(file.getKey());
            Files.createDirectories(path.getParent());
            Files.writeString(path, file.getValue());
        }
        Path config = folder.resolve("rspamd.conf");
        Files.writeString(config, config(folder, compiled(program), setup, ruleOptions, scannerPort, controllerPort,
                scanSeconds) + further);
        List<String> command = new ArrayList<>(List.of(program, "-f", "-i", "-c", config.toString()));
        for (String variable : List.of("DBDIR", "RUNDIR", "LOGDIR", "LOCAL_CONFDIR")) {
            command.add("--var=" + variable + "=" + folder);
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("console.log").toFile())
                .start();
        RspamdPeer peer = new RspamdPeer(folder, process, scannerPort, controllerPort);
        try {
            peer.awaitPort(scannerPort);
            peer.awaitPort(controllerPort);
        } catch (IOException | InterruptedException | RuntimeException e) {
            peer.close();
            throw e;
        }
        return peer;
    }

    /**
     * Returns the folder for the patterns that Rspamd compiles. They are the same for all starts of a program, and
     * compiling them takes 15 s of processor time.
     */
    static Path compiled(String program) throws IOException {
        return Files.createDirectories(
                Path.of("target", "rspamd-patterns", program.replace('/', '-')).toAbsolutePath());
    }

    private static String config(Path folder, Path compiled, Setup setup, String ruleOptions, int scannerPort,
            int controllerPort, int scanSeconds) {
        String fuzzyWorker = setup.ownStorage() == null
                ? ""
                : """
                        worker "fuzzy" {
                          bind_socket = "127.0.0.1:%d"; count = 1; %s sync = 0.2s;
                          expire = 90d; allow_update = ["127.0.0.1"];
                          %s
                        }
                        """.formatted(setup.ownStorage().port(), setup.ownStorage().backend(),
                        setup.ownStorage().keypair() == null ? "" : setup.ownStorage().keypair());
        String rule = setup.storage() == null
                ? ""
                : """
                        rule "weir" {
                            algorithm = "mumhash"; servers = "127.0.0.1:%d"; symbol = "WEIR_UNKNOWN"; read_only = false;
                            mime_types = ["*"]; max_score = 20.0; skip_unknown = true; short_text_direct_hash = true;
                            min_length = 64;
                            %s
                            fuzzy_map = { %s { max_score = 20.0; flag = 1; } %s { max_score = 10.0; flag = 2; } }
                          }
                        """.formatted(setup.storage(),
                        (setup.encryptionKey() == null ? "" : "encryption_key = \"" + setup.encryptionKey() + "\"; ")
                                + ruleOptions,
                        DENIED,
                        PROBABLE);
        return """
                options {
                  pidfile = "%1$s/rspamd.pid"; cache_file = "%1$s/symbols.cache"; control_socket = "%1$s/c.sock mode=0600";
                  dynamic_conf = "%1$s/dyn"; history_file = "%1$s/hist"; stats_file = "%1$s/stats"; rrd = "%1$s/rrd";
                  hs_cache_dir = "%8$s"; tempdir = "%1$s"; url_tld = "/usr/share/rspamd/effective_tld_names.dat";
                  explicit_modules = []; filters = "fuzzy_check"; words_decay = 600; disable_hyperscan = true; task_timeout = %9$ds;
                  dns { nameserver = ["127.0.0.1:9"]; timeout = 0.05s; retransmits = 1; sockets = 1; }
                }
                logging { type = "file"; filename = "%1$s/rspamd.log"; level = "info"; }
                worker "normal" { bind_socket = "127.0.0.1:%2$d"; count = 1; mime = true; }
                worker "controller" { bind_socket = "127.0.0.1:%3$d"; count = 1; password = "q1"; secure_ip = ["127.0.0.1"]; }
                %4$s
                group "fuzzy" { symbols { %6$s { weight = 12; } %7$s { weight = 5; } } }
                actions { reject = 1000; add_header = 500; greylist = 400; }
                fuzzy_check { min_bytes = 1k; timeout = 2s; retransmits = 3;
                  %5$s
                }
                """
                .formatted(folder, scannerPort, controllerPort, fuzzyWorker, rule, DENIED, PROBABLE, compiled,
                        scanSeconds);
    }

    private void awaitPort(int port) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() < deadline) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
                return;
            } catch (java.net.ConnectException notYet) {
                if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                    break;
                }
            }
        }
        throw new IOException("rspamd did not open port " + port + ":\n" + log());
    }

    /** Runs {@code rspamc fuzzy_add}, which learns every hash of the mail. */
    Programs.Result learn(Path mail, int flag, int weight) throws IOException, InterruptedException {
        return rspamc(controllerPort, "-f", Integer.toString(flag), "-w", Integer.toString(weight), "fuzzy_add",
                mail.toString());
    }

    /** Runs {@code rspamc fuzzy_del}, which deletes every hash of the mail. */
    Programs.Result forget(Path mail, int flag) throws IOException, InterruptedException {
        return rspamc(controllerPort, "-f", Integer.toString(flag), "fuzzy_del", mail.toString());
    }

    /** Runs {@code rspamc symbols} and returns the report with a line for each symbol. */
    String scan(Path mail) throws IOException, InterruptedException {
        return rspamc(scannerPort, "symbols", mail.toString()).succeeded().out();
    }

    private Programs.Result rspamc(int port, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("rspamc", "-h", "127.0.0.1:" + port));
        command.addAll(List.of(arguments));
        return Programs.run(folder, command.toArray(String[]::new));
    }

    /** Returns the port that scans. */
    int scannerPort() {
        return scannerPort;
    }

    /** Returns the port of the controller. */
    int controllerPort() {
        return controllerPort;
    }

    /** Runs {@code rspamc} against the controller. */
    Programs.Result control(String... arguments) throws IOException, InterruptedException {
        return rspamc(controllerPort, arguments);
    }

    /** Runs {@code rspamc} against the scanner and returns the report. */
    String scan(String... arguments) throws IOException, InterruptedException {
        return rspamc(scannerPort, arguments).succeeded().out();
    }

    String log() throws IOException {
        StringBuilder text = new StringBuilder();
        for (String name : List.of("console.log", "rspamd.log")) {
            if (Files.exists(folder.resolve(name))) {
                text.append(Programs.read(folder.resolve(name)));
            }
        }
        return text.toString();
    }

    /** Ends Rspamd with SIGTERM and waits until its fuzzy worker has written its queue. */
    void stop() throws InterruptedException {
        // The main process forwards the signal. A worker with SQLite then takes up to 16 s
        // (docs/reference/storage.md#workers-and-reload).
        process.destroy();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            throw new AssertionError("rspamd did not end within two minutes of SIGTERM");
        }
    }

    /** Kills Rspamd. Unwritten updates are lost. */
    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
