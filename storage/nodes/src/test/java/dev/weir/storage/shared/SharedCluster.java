package dev.weir.storage.shared;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.engine.EngineConfig;
import dev.weir.storage.engine.EngineFolder;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.queue.UpdateWriter.Acknowledge;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/** Some nodes in this process that share an engine. */
final class SharedCluster implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path scratch;
    private final SharedSettings settings;
    private final Duration expire;
    private final List<StorageEngine> nodes = new ArrayList<>();

    SharedCluster(Path scratch, SharedSettings settings) {
        this(scratch, settings, Duration.ofDays(90));
    }

    SharedCluster(Path scratch, SharedSettings settings, Duration expire) {
        this.scratch = scratch;
        this.settings = settings;
        this.expire = expire;
    }

    static StorageEngine open(Path folder, SharedSettings settings, Duration expire) throws StorageException {
        return open(folder, settings, expire, LogLimits.DEFAULT, InstantSource.system());
    }

    static StorageEngine open(Path folder, SharedSettings settings, Duration expire, LogLimits limits,
            InstantSource clock) throws StorageException {
        EngineConfig config = EngineConfig.of(expire, Duration.ofSeconds(1), Acknowledge.DURABLE, limits, clock);
        return StorageEngine.start(config, shared(folder, settings));
    }

    StorageEngine add() throws StorageException {
        return add(LogLimits.DEFAULT, InstantSource.system());
    }

    /** Adds a node with a short log, or with a wrong clock. */
    StorageEngine add(LogLimits limits, InstantSource clock) throws StorageException {
        StorageEngine engine = open(folder(nodes.size()), settings, expire, limits, clock);
        nodes.add(engine);
        return engine;
    }

    Path folder(int i) {
        return scratch.resolve("node" + i);
    }

    /** Opens a node again that was closed. */
    StorageEngine reopen(int i) throws StorageException {
        return reopen(i, InstantSource.system());
    }

    StorageEngine reopen(int i, InstantSource clock) throws StorageException {
        nodes.set(i, open(folder(i), settings, expire, LogLimits.DEFAULT, clock));
        return nodes.get(i);
    }

    StorageEngine node(int i) {
        return nodes.get(i);
    }

    /** Ends a node in order, and starts it again. */
    void restart(int i) throws StorageException {
        restart(i, InstantSource.system());
    }

    void restart(int i, InstantSource clock) throws StorageException {
        nodes.get(i).close();
        reopen(i, clock);
    }

    static void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(condition);
    }

    /** What a node knows of some digests: flags, values, when each expires, and shingles. */
    static String knows(StorageEngine node, List<Digest> digests) {
        Lookup lookup = new Lookup();
        StringBuilder text = new StringBuilder();
        for (Digest digest : digests) {
            HashIndex.KnownHash known = node.hashes().known(digest, lookup);
            if (known == null) {
                continue;
            }
            text.append(digest.hex(), 0, 16);
            known.flags().stream().sorted(Comparator.comparingInt(FlagValue::flag))
                    .forEach(flag -> text.append(' ').append(flag.flag()).append('=').append(flag.value()).append('@')
                            .append(Math.max(flag.time(), known.renewed())));
            text.append(known.signed() ? " " : " -").append(Integer.toHexString(known.slots())).append('\n');
        }
        return text.toString();
    }

    /** Waits until all nodes know the same, and returns it. */
    String converge(List<Digest> digests) {
        try {
            await("everything is sent",
                    () -> nodes.stream().allMatch(node -> node.attached(SharedNode.class).orElseThrow().unsent() == 0));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(e.getMessage() + nodes.stream().map(node -> "\n" + node.stats()).toList(), e);
        }
        String[] last = {""};
        try {
            await("all nodes know the same", () -> {
                last[0] = knows(nodes.getFirst(), digests);
                return nodes.stream().allMatch(node -> node.attached(SharedNode.class).orElseThrow().isSettled()
                        && knows(node, digests).equals(last[0]));
            });
        } catch (ConditionTimeoutException e) {
            StringBuilder text = new StringBuilder(e.getMessage());
            List<String> lines = nodes.stream().map(node -> knows(node, digests)).toList();
            for (int i = 1; i < lines.size(); i++) {
                List<String> one = new ArrayList<>(lines.get(i).lines().toList());
                one.removeAll(lines.getFirst().lines().toList());
                List<String> other = new ArrayList<>(lines.getFirst().lines().toList());
                other.removeAll(lines.get(i).lines().toList());
                text.append("\nnode ").append(i).append(" has ").append(one.stream().limit(3).toList())
                        .append("\n and node 0 ").append(other.stream().limit(3).toList());
            }
            throw new AssertionError(text.toString(), e);
        }
        return last[0];
    }

    static void learn(StorageEngine node, List<Update> updates) {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (Update update : updates) {
            all.add(node.apply(update));
            if (all.size() >= 1_000) {
                all.forEach(CompletableFuture::join);
                all.clear();
            }
        }
        all.forEach(CompletableFuture::join);
    }

    @Override
    public void close() {
        nodes.forEach(StorageEngine::close);
    }

    /** What a node reports as its troubles. */
    static String troubles(StorageEngine node) {
        return node.stats().troubles().stream().map(Trouble::detail).toList().toString();
    }

    /** Returns a folder whose hashes are shared. */
    static EngineFolder shared(Path folder, SharedSettings settings) throws StorageException {
        EngineFolder opened = EngineFolder.open(folder);
        return opened.with(new SharedAttachment(settings, opened.files()));
    }
}
