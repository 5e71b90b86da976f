package dev.weir.cli.serve;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;

import dev.weir.cli.socket.ControlClient;
import dev.weir.testkit.FreePort;
import dev.weir.wire.key.KeyPair;
import tools.jackson.databind.JsonNode;

/** {@code weir serve} in a separate process. Closing it kills it (SIGKILL) and waits for its end. */
final class ServeProcess implements AutoCloseable {
    /** Generous, because many processes may share the machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static final List<String> NO_HTTP = List.of("--no-http");

    private final Node node;
    private final List<String> arguments;
    private final Path log;
    private Process process;

    /** A node with its place and its keys. */
    record Node(Path folder, KeyPair pair, int port, int feed) {
        static Node in(Path folder, KeyPair pair) throws IOException {
            return new Node(Files.createDirectories(folder), pair, FreePort.find(), FreePort.find());
        }

        InetSocketAddress address() {
            return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
        }

        Path data() {
            return folder.resolve("data");
        }

        /** Writes the configuration. */
        void configure(String worker, String replication) throws IOException {
            Files.writeString(folder.resolve("weir.conf"), String.format(Locale.ROOT, """
                    worker "fuzzy" {
                      bind_socket = "127.0.0.1:%d"; hash_file = "%s/fuzzy.db"; allow_update = ["127.0.0.1"]; %s
                      replication { %s
                        %s
                      }
                    }
                    """, port, data(), worker, pair.toUcl(), replication));
        }

        /** Returns the option that lets this node follow another one. */
        static String following(Node leader) {
            return following(leader, leader.feed());
        }

        /** Returns the option that lets this node follow another one through a port. */
        static String following(Node leader, int port) {
            return String.format(Locale.ROOT, "leader = \"127.0.0.1:%d\"; leader_key = \"%s\";", port,
                    leader.pair().publicKey().base32());
        }

        /** Returns the options that let another node follow this one. */
        String followedBy(String name, Node follower, String options) {
            return String.format(Locale.ROOT, "bind_socket = \"127.0.0.1:%d\"; follower \"%s\" { key = \"%s\"; %s }",
                    feed, name, follower.pair().publicKey().base32(), options);
        }
    }

    private ServeProcess(Node node, List<String> arguments, Process process, Path log) {
        this.node = node;
        this.arguments = arguments;
        this.process = process;
        this.log = log;
    }

    /** Starts a node and returns at once. */
    static ServeProcess start(Node node) throws IOException {
        return start(node, List.of(), Map.of());
    }

    /** Starts a node that answers over HTTP as well, and returns at once. */
    static ServeProcess withHttp(Node node, int port) throws IOException {
        return start(node, List.of("--http", "127.0.0.1:" + port), List.of(), Map.of());
    }

    /**
     * Starts a node and returns at once.
     *
     * @param options further options of the JVM
     * @param environment further variables
     */
    static ServeProcess start(Node node, List<String> options, Map<String, String> environment) throws IOException {
        return start(node, NO_HTTP, options, environment);
    }

    /** Starts a node with the HTTP interface of its configuration, and returns at once. */
    static ServeProcess startWithHttp(Node node) throws IOException {
        return start(node, List.of(), List.of(), Map.of());
    }

    private static ServeProcess start(Node node, List<String> arguments, List<String> options,
            Map<String, String> environment) throws IOException {
        Path log = node.folder().resolve("serve.log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path")));
        command.addAll(options);
        command.addAll(List.of("dev.weir.cli.Main", "serve", "-c", node.folder().resolve("weir.conf").toString()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        return new ServeProcess(node, arguments, builder.start(), log);
    }

    Node node() {
        return node;
    }

    /** Starts the process again. */
    void restart() throws IOException {
        close();
        process = start(node, arguments, List.of(), Map.of()).process;
    }

    /** Sends a command to the control socket. */
    JsonNode ask(String target) throws IOException {
        JsonNode reply = new ControlClient(node.data().resolve("control.sock"), Duration.ofSeconds(30)).ask(target);
        return reply.path("workers").iterator().next();
    }

    /** Waits until the status of the node is as wanted. */
    JsonNode await(String what, Predicate<JsonNode> wanted) throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Object last = "it does not answer";
        while (System.nanoTime() < end) {
            if (!process.isAlive()) {
                throw new IOException("weir serve ended:\n" + Files.readString(log));
            }
            try {
                JsonNode status = ask("/status");
                if (wanted.test(status)) {
                    return status;
                }
                last = status;
            } catch (IOException e) {
                // It starts or ends.
                last = e;
            }
            Thread.sleep(50);
        }
        throw new IOException("not " + what + " within " + PATIENCE + ", but " + last + "\n" + Files.readString(log));
    }

    /** Waits until the node answers. */
    void awaitReady() throws IOException, InterruptedException {
        await("ready", status -> status.has("hashes"));
    }

    /** Waits until the node follows its leader, and has an update. */
    void awaitFollowing(long revision) throws IOException, InterruptedException {
        await("following up to " + revision,
                status -> status.path("part").asString("").equals("follower") && status.path("leader").has("lag")
                        && !status.path("leader").has("failure") && status.path("revision").asLong(0) >= revision);
    }

    /** Kills the process without waiting. */
    void kill() {
        process.destroyForcibly();
    }

    /** Asks the process to end (SIGTERM). */
    void end() {
        process.destroy();
    }

    /** Waits until the process has ended. Returns its status. */
    int awaitEnd(Duration most) throws IOException, InterruptedException {
        if (!process.waitFor(most)) {
            throw new IOException("still running after " + most + ":\n" + Files.readString(log));
        }
        return process.exitValue();
    }

    List<String> log() throws IOException {
        return Files.readAllLines(log);
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
