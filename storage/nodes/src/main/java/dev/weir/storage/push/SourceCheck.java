package dev.weir.storage.push;

import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.weir.storage.StorageException;
import dev.weir.storage.log.LogMark;
import dev.weir.storage.log.LogReader;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.log.UpdateLog;
import dev.weir.storage.state.StateFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The comparison at a start of what a slave has noted of its masters with its own log. A file that was lost, damaged,
 * or restored without the hashes that belong to it leaves a doubt, and no batch of Weir is taken for a source in doubt.
 */
final class SourceCheck {
    private static final Logger LOG = LoggerFactory.getLogger(SourceCheck.class);
    private static final int READ = 1_024;

    private final PushState state;
    private final UpdateLog log;

    private SourceCheck(PushState state, UpdateLog log) {
        this.state = state;
        this.log = log;
    }

    /**
     * Compares, and notes the doubts durably.
     *
     * @return the batch that the last end of the process interrupted
     */
    static Optional<PushedBatch> run(PushState state, StateFiles files, UpdateLog log) throws StorageException {
        return new SourceCheck(state, log).run(files);
    }

    private Optional<PushedBatch> run(StateFiles files) throws StorageException {
        boolean there = Files.exists(files.place(PushedBatch.FORMAT));
        Optional<PushedBatch> batch = PushedBatch.read(files, log.storageId());
        boolean lost = there && batch.isEmpty();
        if (batch.isPresent() && !batch.get().isOld()
                && batch.get().start().standing(log) == LogMark.Standing.GONE) {
            doubt(state, batch.get());
            files.setAside(PushedBatch.FORMAT, "the update log does not have the history that it belongs to");
            batch = Optional.empty();
        }
        Map<String, Long> later = laterBatches(batch);
        for (Map.Entry<SourceKey, PushedSource> known : state.sources().entrySet()) {
            PushedSource source = known.getValue();
            String name = known.getKey().name();
            String why = why(source, lost, later.getOrDefault(name, 0L) > state.last(name).orElse(0));
            if (!source.doubtful() && !why.isEmpty()) {
                LOG.error("what this storage has of source {} is in doubt: {}", name, why);
                state.source(known.getKey(), source.doubted(later.getOrDefault(name, 0L)));
            }
        }
        return batch;
    }

    private String why(PushedSource source, boolean lost, boolean more) throws StorageException {
        if (more) {
            return "the update log has a later batch than the counter says";
        }
        Optional<LogMark> own = source.own();
        if (own.isEmpty()) {
            return lost ? "a batch that was interrupted is lost" : "";
        }
        return switch (own.get().standing(log)) {
            case HELD -> "";
            case GONE -> "the update log lacks update " + own.get().revision() + ", after which it was complete";
            case DOUBTFUL -> "the update log has begun another history after update " + own.get().revision();
            case RELEASED -> lost ? "a batch that was interrupted is lost" : "";
        };
    }

    /** Returns the last batch under each name that the log has after the marks of the sources. */
    private Map<String, Long> laterBatches(Optional<PushedBatch> unfinished) throws StorageException {
        long from = Long.MAX_VALUE;
        for (PushedSource source : state.sources().values()) {
            if (source.own().isPresent() && source.own().get().standing(log) == LogMark.Standing.HELD) {
                from = Math.min(from, source.own().get().revision() + 1);
            }
        }
        Map<String, Long> later = new HashMap<>();
        if (from > log.tip().revision()) {
            return later;
        }
        List<String> names = state.sources().keySet().stream().map(SourceKey::name).distinct().toList();
        try (LogReader reader = log.reader(from)) {
            for (List<LoggedUpdate> read = reader.read(READ); !read.isEmpty(); read = reader.read(READ)) {
                for (LoggedUpdate update : read) {
                    for (String name : update.origin().submission() == null ? List.<String>of() : names) {
                        long number = PushedBatch.numberOf(name, update.origin());
                        boolean goesOn = unfinished.filter(batch -> batch.source().name().equals(name)
                                && batch.revision() == number).isPresent();
                        if (number >= 0 && !goesOn) {
                            later.merge(name, number, Math::max);
                        }
                    }
                }
            }
        } catch (IOException e) {
            LOG.debug("closing a file of the log failed", e);
        }
        return later;
    }

    /**
     * Returns whether the log has batches under the name of an unknown source that no known source accounts for. Then
     * what this storage noted is lost, and a first batch could be one that it has. Notes the doubt durably. A source in
     * doubt accounts for none: the batches may be those of another master.
     */
    static boolean hasForgotten(PushState state, UpdateLog log, SourceKey unknown) throws StorageException {
        long counted = state.sources().entrySet().stream()
                .filter(known -> known.getKey().name().equals(unknown.name()) && !known.getValue().doubtful())
                .mapToLong(known -> known.getValue().number()).max().orElse(0);
        long latest = counted;
        try (LogReader reader = log.reader(log.first())) {
            for (List<LoggedUpdate> read = reader.read(READ); !read.isEmpty(); read = reader.read(READ)) {
                for (LoggedUpdate update : read) {
                    latest = Math.max(latest, PushedBatch.numberOf(unknown.name(), update.origin()));
                }
            }
        } catch (IOException e) {
            LOG.debug("closing a file of the log failed", e);
        }
        if (latest == counted) {
            return false;
        }
        LOG.error(
                "what this storage has of source {} is in doubt: the update log has batch {}, and nothing was noted of "
                        + "it",
                unknown.name(), latest);
        state.source(unknown, PushedSource.numbered(latest).doubted(latest));
        return true;
    }

    /** Notes that a batch was perhaps applied in part. */
    static void doubt(PushState state, PushedBatch batch) throws StorageException {
        PushedSource known = state.source(batch.source()).orElseGet(() -> PushedSource.numbered(0));
        if (known.number() < batch.revision()) {
            state.source(batch.source(), known.doubted(batch.revision()));
        }
    }
}
