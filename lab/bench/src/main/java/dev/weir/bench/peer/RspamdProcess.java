package dev.weir.bench.peer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import dev.weir.bench.load.Asker;
import dev.weir.testkit.FreePort;
import dev.weir.testkit.RedisServer;

/** The fuzzy worker of a real Rspamd, without other workers, in a separate folder. */
public final class RspamdProcess implements PeerProcess {
    private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Includes the time to write the list of updates to the backend. */
    private static final int END_SECONDS = 900;

    private final Workspace workspace;
    private final Process process;
    private final Path folder;
    private final InetSocketAddress address;
    private final Contents contents;

    private RspamdProcess(Workspace workspace, Process process, Path folder, InetSocketAddress address,
            Contents contents) {
        this.workspace = workspace;
        this.process = process;
        this.folder = folder;
        this.address = address;
        this.contents = contents;
    }

    /** The backend of a worker. */
    public sealed interface Backend {
        /** An SQLite file in its folder: new, or a copy of another one. */
        record Sqlite(Optional<Path> filled) implements Backend {
            /** Creates a backend with a new file. */
            public Sqlite() {
                this(Optional.empty());
            }
        }

        /** An SQLite file in its place, such as that of an earlier worker. */
        record SqliteAt(Path file) implements Backend {}

        /** A Redis server. */
        record Redis(RedisServer server) implements Backend {}
    }

    /**
     * Starts a worker and waits until it answers.
     *
     * @param syncSeconds the option {@code sync}: seconds between flushes to the backend; Rspamd's default is 60
     */
    public static RspamdProcess start(Workspace workspace, Backend backend, double syncSeconds)
            throws IOException, InterruptedException {
        return start(workspace, List.of("rspamd"), backend, syncSeconds, "");
    }

    /**
     * Starts a worker and waits until it answers.
     *
     * @param program the command line that runs rspamd
     * @param further additional options of the fuzzy worker, in configuration syntax
     */
    public static RspamdProcess start(Workspace workspace, List<String> program, Backend backend, double syncSeconds,
            String further) throws IOException, InterruptedException {
        Path folder = workspace.newFolder("rspamd");
        Path database = backend instanceof Backend.SqliteAt given ? given.file() : folder.resolve("fuzzy.db");
        if (backend instanceof Backend.Sqlite sqlite && sqlite.filled().isPresent()) {
            Files.copy(sqlite.filled().get(), database);
        }
        int port = FreePort.find();
        String options = switch (backend) {
            case Backend.Sqlite _,Backend.SqliteAt _ -> "backend = \"sqlite\"; hashfile = \"" + database + "\";";
            case Backend.Redis redis -> "backend = \"redis\"; servers = \"127.0.0.1:" + redis.server().port() + "\";";
        };
        // A storage handles no URLs. Loading the full list of top-level domains would delay each start.
        Files.writeString(folder.resolve("tld"), "com\n");
        Path config = folder.resolve("rspamd.conf");
        Files.writeString(config,
                """
                        options {
                          pidfile = "%1$s/rspamd.pid"; cache_file = "%1$s/symbols.cache";
                          control_socket = "%1$s/c.sock mode=0600";
                          dynamic_conf = "%1$s/dyn"; history_file = "%1$s/hist"; stats_file = "%1$s/stats";
                          rrd = "%1$s/rrd";
                          hs_cache_dir = "%1$s"; tempdir = "%1$s"; url_tld = "%1$s/tld";
                          explicit_modules = []; filters = ""; disable_hyperscan = true;
                          dns { nameserver = ["127.0.0.1:9"]; timeout = 0.05s; retransmits = 1; sockets = 1; }
                        }
                        logging { type = "file"; filename = "%1$s/rspamd.log"; level = "info"; }
                        worker "fuzzy" {
                          bind_socket = "127.0.0.1:%2$d"; count = 1; %3$s sync = %4$ss;
                          expire = 90d; allow_update = ["127.0.0.1"]; %5$s
                        }
                        actions { reject = 1000; add_header = 500; greylist = 400; }
                        """
                        .formatted(folder, port, options, syncSeconds, further));
        List<String> command = new ArrayList<>(program);
        command.addAll(List.of("-f", "-i", "-c", config.toString()));
        for (String variable : List.of("DBDIR", "RUNDIR", "LOGDIR", "LOCAL_CONFDIR")) {
            command.add("--var=" + variable + "=" + folder);
        }
        Process process = workspace.start(new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(folder.resolve("console.log").toFile()));
        Contents contents = switch (backend) {
            case Backend.Sqlite _,Backend.SqliteAt _ -> new SqliteContents(database);
            case Backend.Redis redis -> new RedisContents(workspace, redis.server());
        };
        RspamdProcess peer = new RspamdProcess(workspace, process, folder,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), contents);
        try (Asker asker = new Asker(peer.address)) {
            long giveUp = System.nanoTime() + START_NANOS;
            while (asker.count(1).isEmpty()) {
                if (!process.isAlive() || System.nanoTime() > giveUp) {
                    throw new IOException("the fuzzy worker of rspamd does not answer:\n" + peer.log());
                }
            }
            return peer;
        } catch (IOException | RuntimeException e) {
            peer.close();
            throw e;
        }
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public Contents contents() {
        return contents;
    }

    /** Returns the process id. The worker is its child. */
    @Override
    public long pid() {
        return process.pid();
    }

    /** Sends SIGTERM, waits for the end, and returns the exit status. */
    @Override
    public int terminate() throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("rspamd did not exit within " + END_SECONDS + " s of SIGTERM");
        }
        return process.exitValue();
    }

    private String log() throws IOException {
        StringBuilder text = new StringBuilder();
        for (String name : List.of("console.log", "rspamd.log")) {
            if (Files.exists(folder.resolve(name))) {
                text.append(new String(Files.readAllBytes(folder.resolve(name)), StandardCharsets.UTF_8));
            }
        }
        return text.toString();
    }

    @Override
    public void close() {
        workspace.kill(process);
    }
}
