package dev.weir.storage.log;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import dev.weir.model.Update;
import dev.weir.storage.AuditEntry;
import dev.weir.storage.UpdateBatch;

/**
 * One record of the log.
 *
 * @param revision the number of the update, from 1
 * @param millis time of acceptance, in milliseconds since the epoch
 * @param origin the author
 * @param update the update
 */
public record LoggedUpdate(long revision, long millis, UpdateOrigin origin, Update update) {

    /**
     * Returns a batch for a backend.
     *
     * @param updates updates with consecutive revisions, at least one
     * @param time seconds since the epoch
     * @param history the running checksum up to the last of them; empty if it is not known
     */
    public static UpdateBatch batch(List<LoggedUpdate> updates, long time, OptionalLong history) {
        return new UpdateBatch(updates.getFirst().revision(), time,
                updates.stream().map(LoggedUpdate::update).toList(),
                updates.stream().map(LoggedUpdate::arrival).toList(), history);
    }

    private Optional<AuditEntry> arrival() {
        return Optional.ofNullable(origin.address())
                .map(address -> new AuditEntry(millis, address, origin.key(), origin.submission()));
    }
}
