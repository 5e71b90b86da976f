package dev.weir.storage.replication;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.StoredHash;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.RunningChecksum;
import dev.weir.storage.log.UpdateOrigin;
import dev.weir.storage.transfer.Flags;
import org.jspecify.annotations.Nullable;

/**
 * The part of a leader's hashes that one follower gets.
 *
 * @param flags the flags that it gets, and what they become there; empty for all flags, unchanged
 * @param minWeight the least weight of a learn, and the least value of a flag in a checkpoint; null for any
 * @param origins whether it gets who sent an update
 */
public record Feed(Map<Integer, Integer> flags, @Nullable Long minWeight, boolean origins) {
    /** Everything. */
    public static final Feed WHOLE = new Feed(Map.of(), null, true);

    /**
     * Copies the map.
     *
     * @throws IllegalArgumentException if two flags become the same one, which could not be told apart any more
     */
    public Feed {
        flags = Map.copyOf(flags);
        if (flags.values().stream().distinct().count() < flags.size()) {
            throw new IllegalArgumentException("two flags become the same flag");
        }
    }

    /** Returns whether the follower gets everything as it is. */
    public boolean isWhole() {
        return flags.isEmpty() && minWeight == null && origins;
    }

    /**
     * Returns an update as the follower gets it. One that is not for it becomes a placeholder with the same revision,
     * time and part of the running checksum.
     */
    public LoggedUpdate apply(LoggedUpdate logged) {
        if (isWhole()) {
            return logged;
        }
        UpdateOrigin origin = origins ? logged.origin() : UpdateOrigin.STORAGE;
        return translate(logged.update())
                .map(update -> new LoggedUpdate(logged.revision(), logged.millis(), origin, update))
                .orElseGet(() -> new LoggedUpdate(logged.revision(), logged.millis(), UpdateOrigin.STORAGE,
                        new Update.Refresh(RunningChecksum.withheld(logged.update().digest()), 0)));
    }

    private Optional<Update> translate(Update update) {
        return switch (update) {
            case Update.Write write -> isEnough(write.weight())
                    ? flag(write.flag()).map(flag -> new Update.Write(write.digest(), flag, write.weight(),
                            write.time(), write.signature()))
                    : Optional.empty();
            case Update.Delete delete -> flag(delete.flag()).map(flag -> new Update.Delete(delete.digest(), flag));
            case Update.Expire expire -> flag(expire.flag())
                    .map(flag -> new Update.Expire(expire.digest(), flag, expire.before()));
            // They have no effect on a hash that the follower does not have.
            case Update.DeleteAll _,Update.Refresh _ -> Optional.of(update);
        };
    }

    private boolean isEnough(long weight) {
        return minWeight == null || weight >= minWeight;
    }

    private Optional<Integer> flag(int flag) {
        return flags.isEmpty() ? Optional.of(flag) : Optional.ofNullable(flags.get(flag));
    }

    /** Returns a hash as the follower gets it; null if it gets none of its flags. */
    public @Nullable StoredHash apply(StoredHash hash) {
        if (flags.isEmpty() && minWeight == null) {
            return hash;
        }
        List<FlagValue> kept = new ArrayList<>();
        for (FlagValue value : hash.flags()) {
            if (isEnough(value.value())) {
                flag(value.flag()).ifPresent(flag -> kept.add(new FlagValue(flag, value.value(), value.time())));
            }
        }
        return kept.isEmpty()
                ? null
                : new StoredHash(hash.digest(), Flags.arrange(kept.getFirst(),
                        kept.subList(1, kept.size())), hash.signature(), hash.renewed());
    }
}
