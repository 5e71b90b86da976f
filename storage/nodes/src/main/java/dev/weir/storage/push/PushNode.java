package dev.weir.storage.push;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.os.UninterruptibleJoin;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.Trouble;
import dev.weir.storage.database.sqlite.SqliteInspection;
import dev.weir.storage.engine.StorageEngine;
import dev.weir.storage.log.LogConsumer;
import dev.weir.storage.state.StateFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A storage in the old replication: a slave of some masters, a master of some slaves, or both. */
public final class PushNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PushNode.class);
    private static final Duration REPORT = Duration.ofSeconds(5);

    private final PushSettings settings;
    private final StateFiles files;
    private final Optional<PushIntake> intake;
    private final List<SlaveFeed> feeds = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /**
     * The state of the old replication.
     *
     * @param intake what masters sent; empty without {@code masters}
     * @param slaves the slaves
     * @param troubles what an operator must decide
     */
    public record Status(Optional<PushIntake.Figures> intake, List<Slave> slaves, List<Trouble> troubles) {
        /** Copies the lists. */
        public Status {
            slaves = List.copyOf(slaves);
            troubles = List.copyOf(troubles);
        }
    }

    /**
     * A slave.
     *
     * @param behind updates that it lacks
     * @param revision the number of its last batch
     * @param refusals batches that it refused, also where it answered with a success
     * @param unproven batches of which nothing proves that Rspamd applied them
     * @param lost updates that the log no longer had when the slave came back
     * @param untold flags that no command can carry
     * @param failure why the last attempt failed; empty if it did not
     */
    public record Slave(String name, long behind, long revision, long batches, long updates, long failures,
            long refusals, long unproven, long lost, long untold, String failure) {}

    /**
     * Returns the counters of a database that the start will carry over into a store. Call it before: the database then
     * becomes a mirror and counts what this storage writes to it.
     *
     * @return empty if the start carries nothing over
     * @throws StorageException if the folder or its database cannot be used
     */
    public static Optional<Map<String, Long>> beforeCarryOver(Path folder) throws StorageException {
        try (DataFolder locked = DataFolder.openAny(folder)) {
            return !DataFolder.hasStore(folder) && Files.exists(locked.database())
                    ? Optional.of(SqliteInspection.sourceVersions(DataFolder.database(folder)))
                    : Optional.empty();
        }
    }

    /**
     * Reads the counters of the last run.
     *
     * @param folder the data folder, which is locked
     * @param begun the counters with which the storage begins, from {@link #beforeCarryOver}
     * @param sync the time between two batches
     * @throws StorageException if they cannot be read
     */
    public PushNode(PushSettings settings, Path folder, Optional<Map<String, Long>> begun, StorageEngine engine,
            PushTransport transport, Duration sync) throws StorageException {
        this(settings, folder, begun, engine, transport, sync, SlaveFeed.Patience.USUAL);
    }

    PushNode(PushSettings settings, Path folder, Optional<Map<String, Long>> begun, StorageEngine engine,
            PushTransport transport, Duration sync, SlaveFeed.Patience patience) throws StorageException {
        this.settings = settings;
        this.files = new StateFiles(folder, InstantSource.system());
        PushState state = PushState.open(files, engine.log().storageId());
        if (begun.isPresent()) {
            state.begin(begun.get());
        }
        Map<String, Long> versions = versions(folder);
        state.raise(versions);
        this.intake = settings.masters() == null
                ? Optional.empty()
                : Optional.of(new PushIntake(settings, state, files, engine.hashes(), engine.log()));
        PushSource source = new PushSource(engine, engine::signatures);
        long first = versions.getOrDefault(PushState.LOCAL, 0L);
        for (PushSettings.Slave slave : settings.slaves()) {
            feeds.add(new SlaveFeed(slave, state, source, engine.log(), transport, sync, first,
                    patience));
        }
        feeds.forEach(engine::add);
    }

    private static Map<String, Long> versions(Path folder) {
        try {
            return SqliteInspection.sourceVersions(DataFolder.database(folder));
        } catch (StorageException e) {
            // A mirror never keeps a store from its start.
            LOG.warn("the counters of Rspamd are unknown; the storage uses its own: {}", e.getMessage());
            return Map.of();
        }
    }

    /**
     * Completes a batch that the last end interrupted, and begins to send. The storage takes updates by now.
     *
     * @param died is told of a thread that ended by an error
     */
    public void start(Thread.UncaughtExceptionHandler died) {
        if (settings.temporary() && !feeds.isEmpty()) {
            LOG.warn("there is no sync_keypair; slaves that name a master_key must know the public key of this run: {}",
                    settings.pair().publicKey());
        }
        intake.ifPresent(PushIntake::recover);
        for (SlaveFeed feed : feeds) {
            threads.add(Thread.ofPlatform().name("weir-push-" + feed.figures().name()).daemon()
                    .uncaughtExceptionHandler(died).start(feed));
        }
    }

    /** Returns the side of a slave; empty for a storage that takes nothing from masters. */
    public Optional<PushIntake> intake() {
        return intake;
    }

    /** Returns the feeds of the slaves. */
    List<SlaveFeed> feeds() {
        return List.copyOf(feeds);
    }

    /** Returns the settings. */
    public PushSettings settings() {
        return settings;
    }

    /** Returns the current state. */
    public Status status() {
        return new Status(intake.map(PushIntake::figures), feeds.stream().map(SlaveFeed::figures).toList(), troubles());
    }

    private List<Trouble> troubles() {
        List<Trouble> troubles = new ArrayList<>(files.troubles());
        feeds.forEach(feed -> feed.stopped().ifPresent(detail -> troubles
                .add(new Trouble("a mirror gets no updates until an operator decides", detail))));
        feeds.forEach(feed -> feed.lacking().ifPresent(detail -> troubles
                .add(new Trouble("a mirror may lack updates", detail))));
        intake.ifPresent(slave -> troubles.addAll(slave.troubles()));
        return troubles;
    }

    /** Takes no more batches, and sends what is there once more. Call it before the storage stops. */
    @Override
    public void close() {
        intake.ifPresent(PushIntake::close);
        feeds.forEach(feed -> feed.finish(LogConsumer.FOREVER));
        threads.forEach(thread -> UninterruptibleJoin.of(thread, REPORT,
                () -> LOG.info("waiting for a slave to take the last updates")));
    }
}
