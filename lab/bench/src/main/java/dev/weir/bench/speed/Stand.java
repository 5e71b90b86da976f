package dev.weir.bench.speed;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import dev.weir.bench.peer.RspamdProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.load.query.Rule;
import dev.weir.wire.key.Base32;
import dev.weir.wire.key.KeyPair;

/** Starts the servers of a measurement on the processor for servers. All are killed with the workspace. */
public final class Stand {
    private static final int NO_SYNC_SECONDS = 3600;

    private final Workspace workspace;
    private final List<String> weir;
    private final Pinning pinning;
    private final KeyPair key = KeyPair.generate(new SecureRandom());

    /** Creates a stand whose servers live in a workspace. */
    public Stand(Workspace workspace, List<String> weir, Pinning pinning) {
        this.workspace = workspace;
        this.weir = weir;
        this.pinning = pinning;
    }

    /** Starts the echo in Java. */
    public Contender javaEcho() throws IOException {
        return new Contender("echo, Java", javaEcho("apart").address(), Rule.COUNT, null, 1);
    }

    /** Starts the echo in Java that connects its socket to the last client. */
    public Contender couplingEcho() throws IOException {
        return new Contender("echo, Java, coupling", javaEcho("together").address(), Rule.COUNT, null, 1);
    }

    private Served javaEcho(String how) throws IOException {
        return Served.start(workspace, pinning.server(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC",
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                "dev.weir.bench.echo.BareEcho", how)));
    }

    /** Starts the echo in C; empty without a compiler or the source. */
    public Optional<Contender> cEcho(Path source) throws IOException, InterruptedException {
        if (Files.notExists(source)) {
            return Optional.empty();
        }
        Path program = workspace.folder().resolve("echo");
        try {
            Process compiler = new ProcessBuilder("gcc", "-O2", "-o", program.toString(), source.toString())
                    .inheritIO().start();
            if (compiler.waitFor() != 0) {
                return Optional.empty();
            }
        } catch (IOException notInstalled) {
            return Optional.empty();
        }
        Served served = Served.start(workspace, pinning.server(List.of(program.toString())));
        return Optional.of(new Contender("echo, C", served.address(), Rule.COUNT, null, 1));
    }

    /** Starts {@code weir serve} on one processor. */
    public Served weir(Path data, String... further) throws IOException {
        List<String> words = new ArrayList<>(List.of("--no-http"));
        words.addAll(Arrays.asList(further));
        return serve(data, words);
    }

    /** Starts {@code weir serve} on one processor, with HTTP on a port of the loopback address. */
    public Served weirWithHttp(Path data, int port) throws IOException {
        // The mirror of a fresh folder would be built meanwhile, and take the processor.
        return serve(data, List.of("--http", "127.0.0.1:" + port, "--backend", "store"));
    }

    /** Starts {@code weir serve} on one processor, as a configuration says. */
    public Served configured(String configuration) throws IOException {
        Path file = Files.createTempFile(workspace.folder(), "weir", ".conf");
        Files.writeString(file, configuration);
        List<String> words = new ArrayList<>(weir);
        words.addAll(List.of("serve", "-c", file.toString()));
        return Served.start(workspace, pinning.server(words));
    }

    private Served serve(Path data, List<String> further) throws IOException {
        Path file = workspace.folder().resolve("storage.key");
        Files.writeString(file, key.toUcl());
        List<String> words = new ArrayList<>(weir);
        words.addAll(
                List.of("serve", "--data", data.toString(), "--bind", "127.0.0.1:0", "--keypair", file.toString()));
        words.addAll(further);
        return Served.start(workspace, pinning.server(words));
    }

    /** Returns a started Weir as a contender. */
    public Contender contender(Served served, int sockets) {
        return new Contender("Weir", served.address(), Rule.COUNT, key.publicKey(), sockets);
    }

    /** Starts Rspamd's worker with a copy of an SQLite file. */
    public Contender rspamd(Path database) throws IOException, InterruptedException {
        String pair = "keypair { pubkey = \"" + key.publicKey() + "\"; privkey = \""
                + Base32.encode(key.secret().reveal()) + "\"; }";
        RspamdProcess peer = RspamdProcess.start(workspace, pinning.server(List.of("rspamd")),
                new RspamdProcess.Backend.Sqlite(Optional.of(database)), NO_SYNC_SECONDS, pair);
        return new Contender("Rspamd, sqlite", peer.address(), Rule.RSPAMD_SQLITE, key.publicKey(), 1);
    }

    /** Returns whether {@code weir serve} has an option. */
    public boolean weirKnows(String option) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(weir);
        words.addAll(List.of("serve", "--help"));
        Process process = workspace.start(new ProcessBuilder(words).redirectErrorStream(true));
        String help = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return help.contains(option);
    }
}
