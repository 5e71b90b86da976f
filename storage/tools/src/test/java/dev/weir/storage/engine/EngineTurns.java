package dev.weir.storage.engine;

import java.util.function.Consumer;

import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.index.HashIndex;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.mirror.MirrorFeeder;
import dev.weir.storage.queue.QueuedUpdate;
import dev.weir.storage.queue.StorageClock;
import dev.weir.storage.queue.Turns;

/** An engine without threads: the test runs its writer and its feeder turn by turn. */
public final class EngineTurns {
    private final StorageEngine engine;
    private final Turns turns;

    private EngineTurns(StorageEngine engine) {
        this.engine = engine;
        this.turns = new Turns(engine.writer(), engine.checkpointer(), engine.attached(MirrorFeeder.class));
    }

    /**
     * Recovers like every start.
     *
     * @param recovered receives the updates that recovery reads from the log
     * @param appearing runs before a change becomes visible, and may fail
     */
    public static EngineTurns open(EngineConfig config, EngineFiles store, Consumer<LoggedUpdate> recovered,
            Consumer<Update> appearing) throws StorageException {
        return new EngineTurns(StorageEngine.open(config, store, StartProgress.NONE, new Probe() {
            @Override
            public void recovered(LoggedUpdate update) {
                recovered.accept(update);
            }

            @Override
            public void appearing(Update update) {
                appearing.accept(update);
            }
        }));
    }

    /** Returns the engine itself. */
    public StorageEngine engine() {
        return engine;
    }

    public UpdateLog log() {
        return engine.state().log();
    }

    public HashIndex index() {
        return engine.state().index();
    }

    /** Returns the damage that the start found; empty if none. */
    public String damage() {
        return engine.stats().databaseDamage();
    }

    public StorageClock clock() {
        return engine.state().clock();
    }

    public Turns turns() {
        return turns;
    }

    public boolean offer(QueuedUpdate update) {
        return engine.hashes().offer(update);
    }

    public int queued() {
        return engine.hashes().queued();
    }

    /** Saves the time as the server does once a minute. */
    public void saveTime() {
        engine.saveTime();
    }

    /** Releases everything like every stop. */
    public void close() {
        engine.close();
    }
}
