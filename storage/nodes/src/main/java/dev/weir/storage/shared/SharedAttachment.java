package dev.weir.storage.shared;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.engine.AttachedConsumer;
import dev.weir.storage.engine.Attachment;
import dev.weir.storage.engine.EngineParts;
import dev.weir.storage.engine.MissListener;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.queue.Quorum;
import dev.weir.storage.redis.SharedClaim;
import dev.weir.storage.state.StateFiles;
import org.jspecify.annotations.Nullable;

/** The Redis through which an engine shares its hashes with other nodes. For one engine. */
public final class SharedAttachment implements Attachment {
    private final SharedSettings settings;
    private final StateFiles files;
    private final @Nullable MissedChecks missed;
    private @Nullable SharedQuorum quorum;
    private @Nullable LogClaim claim;

    /**
     * Connects to nothing yet.
     *
     * @param files have the position of the node
     */
    public SharedAttachment(SharedSettings settings, StateFiles files) {
        this.settings = settings;
        this.files = files;
        this.missed = settings.asks() ? new MissedChecks() : null;
    }

    @Override
    public List<LogClaim> claims() throws StorageException {
        claim = SharedClaim.of(files);
        return List.of(claim);
    }

    @Override
    public Optional<Quorum> quorum(Runnable progressed) {
        if (settings.confirmation().needed()) {
            quorum = new SharedQuorum(settings.confirmation().patience(), progressed);
        }
        return Optional.ofNullable(quorum);
    }

    @Override
    public Optional<MissListener> misses() {
        return Optional.ofNullable(missed);
    }

    @Override
    public Optional<AttachedConsumer> attach(EngineParts parts) throws StorageException {
        return Optional.of(new SharedNode(settings, files, parts, Objects.requireNonNull(claim), quorum, missed));
    }
}
