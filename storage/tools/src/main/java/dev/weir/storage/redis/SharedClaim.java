package dev.weir.storage.redis;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.storage.StorageException;
import dev.weir.storage.engine.AttachedConsumer;
import dev.weir.storage.engine.Attachment;
import dev.weir.storage.engine.EngineParts;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.state.StateFiles;

/**
 * Keeps what a shared Redis may lack in the log, for tools, which do not know whether a node shares the hashes of a
 * folder.
 *
 * @param files have the position of the node
 */
public record SharedClaim(StateFiles files) implements Attachment {
    /**
     * Returns the last update of a node that all shards of its Redis have; empty if it has never shared its hashes, or
     * its position is lost. Then it offers its hashes, and needs no log for that.
     *
     * @throws StorageException if the position cannot be read
     */
    public static OptionalLong reflected(StateFiles files) throws StorageException {
        return SharedPosition.read(files, 0)
                .map(known -> OptionalLong.of(known.reflected())).orElse(OptionalLong.empty());
    }

    /** Returns the claim of Redis to the updates after {@link #reflected}. */
    public static LogClaim of(StateFiles files) throws StorageException {
        return new LogClaim("shared Redis", LogClaim.Retention.MUST_KEEP,
                reflected(files).orElse(LogClaim.NOTHING));
    }

    @Override
    public List<LogClaim> claims() throws StorageException {
        return List.of(of(files));
    }

    @Override
    public Optional<AttachedConsumer> attach(EngineParts parts) {
        return Optional.empty();
    }
}
