package dev.weir.bench.http;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import dev.weir.bench.peer.RspamdInstallation;
import dev.weir.bench.peer.Workspace;
import dev.weir.testkit.FreePort;

/** Starts the scanners to compare, with the same rule and the same storage. */
public final class Scanners {
    /** The symbol of the rule. */
    public static final String SYMBOL = "WEIR_DENIED";

    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(180);
    private static final long STEP_MILLIS = 50;

    private static final String RULE = """
            fuzzy_check { min_bytes = 1k; timeout = 2s; retransmits = 3;
              rule "weir" {
                algorithm = "mumhash"; servers = "%s"; symbol = "WEIR_UNKNOWN"; read_only = false;
                mime_types = ["*"]; max_score = 20.0; skip_unknown = true; short_text_direct_hash = true;
                min_length = 64;
                fuzzy_map = { WEIR_DENIED { max_score = 20.0; flag = 1; } }
              }
            }
            """;

    private Scanners() {}

    /**
     * A running scanner.
     *
     * @param process the first of its processes
     */
    public record Scanner(Process process, InetSocketAddress address) {}

    /**
     * Starts a real Rspamd with one worker and only the module {@code fuzzy_check}.
     *
     * @param program the command line that runs it
     */
    public static Scanner rspamd(Workspace workspace, RspamdInstallation installation, List<String> program,
            int storage) throws IOException, InterruptedException {
        Path folder = workspace.newFolder("rspamd");
        int port = FreePort.find();
        Path config = folder.resolve("rspamd.conf");
        Files.writeString(config,
                """
                        options {
                          pidfile = "%1$s/rspamd.pid"; cache_file = "%1$s/symbols.cache";
                          control_socket = "%1$s/c.sock mode=0600";
                          dynamic_conf = "%1$s/dyn"; history_file = "%1$s/hist"; stats_file = "%1$s/stats";
                          rrd = "%1$s/rrd";
                          hs_cache_dir = "%1$s"; tempdir = "%1$s";
                          url_tld = "%4$s/effective_tld_names.dat";
                          explicit_modules = []; filters = "fuzzy_check";
                          dns { nameserver = ["127.0.0.1:9"]; timeout = 0.05s; retransmits = 1; sockets = 1; }
                        }
                        logging { type = "file"; filename = "%1$s/rspamd.log"; level = "error"; }
                        worker "normal" { bind_socket = "127.0.0.1:%2$d"; count = 1; mime = true; }
                        actions { reject = 1000; add_header = 500; greylist = 400; }
                        group "fuzzy" { symbol "WEIR_DENIED" { weight = 12.0; } }
                        lang_detection { .include(try=true) "%5$s/lang_detection.inc" }
                        %3$s
                        """
                        .formatted(folder, port, RULE.formatted(local(storage)), installation.share(),
                                installation.etc()));
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of("-f", "-i", "-c", config.toString()));
        command.addAll(installation.variables(folder));
        return await(workspace.start(new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("console.log").toFile())), port, folder.resolve("console.log"));
    }

    private static String local(int port) {
        return "127.0.0.1:" + port;
    }

    /** Starts {@code weir serve} with the same rule; the storage within that process is idle. */
    public static Scanner weir(Workspace workspace, List<String> program, int storage)
            throws IOException, InterruptedException {
        return weir(workspace, program, local(storage));
    }

    /** Returns a copy that uses several storages, given as the option {@code servers} of a rule. */
    public static Scanner weir(Workspace workspace, List<String> program, String servers)
            throws IOException, InterruptedException {
        Path folder = workspace.newFolder("weir");
        int port = FreePort.find();
        Path config = folder.resolve("weir.conf");
        Files.writeString(config, """
                worker "fuzzy" { bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; }
                worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = ["127.0.0.1"]; }
                actions { reject = 1000; add_header = 500; greylist = 400; }
                group "fuzzy" { symbol "WEIR_DENIED" { weight = 12.0; } }
                %4$s
                """.formatted(FreePort.find(), folder, port, RULE.formatted(servers)));
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of("serve", "-c", config.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("console.log").toFile());
        // Both log errors only, because a log line per hit would distort the measurement.
        builder.environment().merge("WEIR_JAVA_OPTS", "-Dweir.log.level=WARN", (old, more) -> old + " " + more);
        return await(workspace.start(builder), port, folder.resolve("console.log"));
    }

    /** The doors of a scanner that is a milter as well. */
    record MilterDoors(InetSocketAddress milter, InetSocketAddress http) {}

    /** Starts {@code weir serve} with a milter and the same rule for the storage within that process. */
    static MilterDoors milter(Workspace workspace, List<String> program) throws IOException, InterruptedException {
        Path folder = workspace.newFolder("milter");
        int storage = FreePort.find();
        int http = FreePort.find();
        int milter = FreePort.find();
        Path config = folder.resolve("weir.conf");
        Files.writeString(config,
                """
                        worker "fuzzy" { bind_socket = "127.0.0.1:%1$d"; hash_file = "%2$s/fuzzy.db"; allow_update = "127.0.0.1"; }
                        worker "controller" { bind_socket = "127.0.0.1:%3$d"; secure_ip = ["127.0.0.1"]; }
                        worker "milter" { bind_socket = "127.0.0.1:%4$d"; }
                        actions { reject = 10; add_header = 5; greylist = 4; }
                        group "fuzzy" { symbol "WEIR_DENIED" { weight = 12.0; } }
                        %5$s
                        """
                        .formatted(storage, folder, http, milter, RULE.formatted(local(storage))));
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of("serve", "-c", config.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("console.log").toFile());
        builder.environment().merge("WEIR_JAVA_OPTS", "-Dweir.log.level=WARN", (old, more) -> old + " " + more);
        Process process = workspace.start(builder);
        Path log = folder.resolve("console.log");
        return new MilterDoors(await(process, milter, log).address(), await(process, http, log).address());
    }

    private static Scanner await(Process process, int port, Path log)
            throws IOException, InterruptedException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        long giveUp = System.nanoTime() + START_NANOS;
        while (System.nanoTime() < giveUp) {
            try (Socket socket = new Socket()) {
                socket.connect(address, 1000);
                return new Scanner(process, address);
            } catch (ConnectException notYet) {
                if (process.waitFor(STEP_MILLIS, TimeUnit.MILLISECONDS)) {
                    break;
                }
            }
        }
        throw new IOException("the scanner did not open port " + port + ":\n" + Files.readString(log));
    }
}
