package dev.weir.bench.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.testkit.FreePort;
import dev.weir.wire.key.KeyPair;
import tools.jackson.databind.JsonNode;

/** Two storages of one workspace that know each other's keys: each of them may lead, and each may follow. */
final class ReplicatedPair {
    private static final Duration PATIENCE = Duration.ofMinutes(15);
    private static final long LOOK_MILLIS = 20;

    private final Workspace workspace;
    private final List<String> command;
    private final String options;
    private final Node first;
    private final Node second;

    /** A node with its place and its keys. */
    record Node(Path folder, KeyPair pair, int port, int feed) {
        Path data() {
            return folder.resolve("data");
        }
    }

    /**
     * Prepares two nodes without hashes.
     *
     * @param command the command line that runs {@code weir}
     * @param options further options of both storages
     */
    ReplicatedPair(Workspace workspace, List<String> command, String options) throws IOException {
        this.workspace = workspace;
        this.command = command;
        this.options = options;
        this.first = node();
        this.second = node();
    }

    private Node node() throws IOException {
        // The ports stay the same when a follower starts its storage again.
        return new Node(workspace.newFolder("node"), KeyPair.generate(new SecureRandom()), FreePort.find(),
                FreePort.find());
    }

    Node first() {
        return first;
    }

    Node second() {
        return second;
    }

    /** Starts a node as the leader of the other one, and waits until it is ready. */
    WeirProcess lead(Node node) throws IOException {
        return start(command, node, "");
    }

    /** Starts a node as the follower of the other one, and waits until it is ready. */
    WeirProcess follow(Node node) throws IOException {
        return follow(command, node);
    }

    /**
     * Starts a node as the follower of the other one, and waits until it is ready.
     *
     * @param words the command line that runs {@code weir}, such as one that chooses a processor
     */
    WeirProcess follow(List<String> words, Node node) throws IOException {
        Node leader = other(node);
        return start(words, node, String.format(Locale.ROOT, "leader = \"127.0.0.1:%d\"; leader_key = \"%s\";",
                leader.feed(), leader.pair().publicKey().base32()));
    }

    private Node other(Node node) {
        return node.equals(first) ? second : first;
    }

    private WeirProcess start(List<String> words, Node node, String following) throws IOException {
        Path configuration = Files.writeString(node.folder().resolve("weir.conf"), String.format(Locale.ROOT, """
                worker "fuzzy" {
                  bind_socket = "127.0.0.1:%d"; hash_file = "%s/fuzzy.db"; allow_update = ["127.0.0.1"];
                  backend = "store"; expire = 90d; %s
                  replication {
                    %s
                    bind_socket = "127.0.0.1:%d"; follower "other" { key = "%s"; }
                    %s
                  }
                }
                """, node.port(), node.data(), options, node.pair().toUcl(), node.feed(),
                other(node).pair().publicKey().base32(), following));
        return WeirProcess.configured(workspace, words, configuration, node.data());
    }

    /**
     * Waits until a node follows the other one and has its updates, and returns its status.
     *
     * @param revision the last update that it must have
     */
    static JsonNode awaitFollowing(WeirProcess node, long revision) throws IOException, InterruptedException {
        return await(node, "following up to " + revision,
                status -> status.path("part").asString("").equals("follower") && status.path("leader").has("lag")
                        && !status.path("leader").has("failure") && status.path("revision").asLong(0) >= revision);
    }

    /** Waits until the status of a node is as wanted, and returns it. */
    static JsonNode await(WeirProcess node, String what, Predicate<JsonNode> wanted)
            throws IOException, InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Object last = "";
        while (System.nanoTime() < end) {
            try {
                JsonNode status = node.control("/status");
                if (wanted.test(status)) {
                    return status;
                }
                last = status;
            } catch (IOException e) {
                // A follower starts its storage again when its first copy is complete.
                last = e;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        throw new IOException("not " + what + " within " + PATIENCE.toMinutes() + " minutes: " + last + "\n"
                + Files.readString(node.log()));
    }
}
