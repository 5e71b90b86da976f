package dev.weir.storage.history;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import dev.weir.model.failure.Reason;
import dev.weir.storage.stats.AnswerTimes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The history of a storage's figures. Give it a sample each second; it adds up the steps of each span and writes each
 * step that is complete, and the current ones at {@link #close}, to a file. If the file cannot be used, the history
 * has only the steps in progress, and the log says so once. Thread-safe.
 */
// The order of the figures is part of the file.
@SuppressWarnings("EnumOrdinal")
public final class MetricHistory implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(MetricHistory.class);

    private final Map<Span, Running> running = new EnumMap<>(Span.class);
    private final Path path;
    private @Nullable HistoryFile file;

    /** The last sample, for differences of counters. */
    private long @Nullable [] last;
    private AnswerTimes lastTimes = AnswerTimes.none();

    /** The last complete step of the hour. */
    private AnswerTimes lastStep = AnswerTimes.none();

    /** The step of a span that is not complete. */
    private static final class Running {
        private final long[] sums = new long[Series.values().length];
        private AnswerTimes times = AnswerTimes.none();
        private long step = -1;
        private boolean any;
    }

    private MetricHistory(Path path) {
        this.path = path;
        for (Span span : Span.values()) {
            running.put(span, new Running());
        }
    }

    /** Opens the history in a file, which is created if it does not exist. */
    public static MetricHistory open(Path path) {
        MetricHistory history = new MetricHistory(path);
        try {
            history.file = HistoryFile.open(path);
        } catch (IOException e) {
            LOG.warn("the history of the figures cannot be kept in {}: {}", path, Reason.of(e));
        }
        return history;
    }

    /**
     * Takes a sample.
     *
     * @param figures one value for each {@link Series}; counters since the start, and 0 for the percentiles
     * @param times the answer times since the start
     */
    public synchronized void sample(long nowMillis, long[] figures, AnswerTimes times) {
        long[] before = last == null ? figures : last;
        AnswerTimes recent = last == null ? AnswerTimes.none() : times.since(lastTimes);
        for (Span span : Span.values()) {
            long step = nowMillis / span.step().toMillis();
            Running now = inStep(span, step);
            for (Series figure : Series.values()) {
                int i = figure.ordinal();
                now.sums[i] = figure.isCounted() ? now.sums[i] + Math.max(0, figures[i] - before[i]) : figures[i];
            }
            now.times = now.times.plus(recent);
            now.any = true;
        }
        last = figures.clone();
        lastTimes = times;
    }

    private Running inStep(Span span, long step) {
        Running now = running.getOrDefault(span, new Running());
        if (now.step != step) {
            write(span, now);
            lastStep = span == Span.HOUR ? now.times : lastStep;
            now = new Running();
            now.step = step;
            resume(span, now);
            running.put(span, now);
        }
        return now;
    }

    /** Continues a step that the last run of the storage began. */
    private void resume(Span span, Running now) {
        HistoryFile open = file;
        if (open == null || last != null) {
            return;
        }
        try {
            long[][] steps = open.read(span, now.step);
            long[] begun = steps[steps.length - 1];
            if (begun != null) {
                System.arraycopy(begun, 0, now.sums, 0, begun.length);
            }
        } catch (IOException e) {
            giveUp(e);
        }
    }

    /** Returns the answer times of the last ten to twenty seconds. */
    public synchronized AnswerTimes recentTimes() {
        return lastStep.plus(running.getOrDefault(Span.HOUR, new Running()).times);
    }

    private static long[] values(Running now) {
        long[] values = now.sums.clone();
        values[Series.P50.ordinal()] = now.times.within(0.5);
        values[Series.P99.ordinal()] = now.times.within(0.99);
        values[Series.P999.ordinal()] = now.times.within(0.999);
        return values;
    }

    private void write(Span span, Running now) {
        HistoryFile open = file;
        if (open == null || !now.any) {
            return;
        }
        try {
            open.write(span, now.step, values(now));
        } catch (IOException e) {
            giveUp(e);
        }
    }

    private void giveUp(IOException e) {
        LOG.warn("the history of the figures in {} can no longer be used: {}", path, e.getMessage());
        file = null;
    }

    /**
     * The figures of one step.
     *
     * @param millis the beginning of the step, in milliseconds since 1970
     * @param figures the values by figure; counters are those of this step
     */
    public record Step(long millis, Map<Series, Long> figures) {
        /** Copies the map. */
        public Step {
            figures = Map.copyOf(figures);
        }
    }

    /** Returns the steps of a span that have figures, in order, with the current one at the end. */
    public synchronized List<Step> read(Span span, long nowMillis) {
        long step = nowMillis / span.step().toMillis();
        long[][] steps = new long[0][];
        HistoryFile open = file;
        if (open != null) {
            try {
                steps = open.read(span, step);
            } catch (IOException e) {
                giveUp(e);
            }
        }
        List<Step> result = new ArrayList<>();
        for (int i = 0; i < steps.length - 1; i++) {
            if (steps[i] != null) {
                result.add(step(span, step - steps.length + 1 + i, steps[i]));
            }
        }
        Running now = running.getOrDefault(span, new Running());
        if (now.any && now.step == step) {
            result.add(step(span, step, values(now)));
        }
        return result;
    }

    private static Step step(Span span, long step, long[] values) {
        Map<Series, Long> figures = new EnumMap<>(Series.class);
        Arrays.stream(Series.values()).forEach(figure -> figures.put(figure, values[figure.ordinal()]));
        return new Step(step * span.step().toMillis(), figures);
    }

    @Override
    public synchronized void close() {
        running.forEach(this::write);
        HistoryFile open = file;
        file = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                LOG.debug("closing the history of the figures failed", e);
            }
        }
    }
}
