package dev.weir.bench.profile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.weir.bench.report.Table;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * Samples of processor time by what the threads worked for.
 *
 * @param samples by row
 * @param withoutStack the samples whose stack the JVM could not read
 */
public record Profile(Map<Work, Long> samples, long withoutStack) {
    private static final String EVENT = "jdk.CPUTimeSample";

    /** Reads a recording. */
    static Profile read(Path file) throws IOException {
        Map<Work, Long> samples = new EnumMap<>(Work.class);
        long withoutStack = 0;
        try (RecordingFile recording = new RecordingFile(file)) {
            while (recording.hasMoreEvents()) {
                RecordedEvent event = recording.readEvent();
                if (!event.getEventType().getName().equals(EVENT)) {
                    continue;
                }
                RecordedStackTrace stack = event.getStackTrace();
                if (stack == null || stack.getFrames().isEmpty()) {
                    withoutStack++;
                } else {
                    samples.merge(work(stack), 1L, Long::sum);
                }
            }
        }
        return new Profile(samples, withoutStack);
    }

    private static Work work(RecordedStackTrace stack) {
        List<String> classes = new ArrayList<>();
        for (RecordedFrame frame : stack.getFrames()) {
            classes.add(frame.getMethod().getType().getName());
        }
        return Work.of(stack.getFrames().getFirst().getType().equals("Native"), classes);
    }

    /**
     * Returns the table of shares.
     *
     * @param compilers the share of the JIT compilers in the processor time of the process
     * @param collector that of the garbage collector
     */
    public Table table(double compilers, double collector) {
        double all = Math.max(1, count());
        Table table = new Table("work", "share of the processor time");
        for (Work work : Work.values()) {
            double share = switch (work) {
                case COMPILERS -> compilers;
                case COLLECTOR -> collector;
                default -> (1 - compilers - collector) * samples.getOrDefault(work, 0L) / all;
            };
            table.row(work.title(), String.format(Locale.ROOT, "%.1f %%", 100 * share));
        }
        return table;
    }

    /** Returns the number of samples with a stack. */
    public long count() {
        return samples.values().stream().mapToLong(Long::longValue).sum();
    }
}
