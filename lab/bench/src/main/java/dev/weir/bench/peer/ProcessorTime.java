package dev.weir.bench.peer;

import java.time.Duration;
import java.util.stream.Stream;

/** The processor time of programs. */
public final class ProcessorTime {
    private ProcessorTime() {}

    /** Returns the seconds of a processor that a running process and its running descendants have used so far. */
    public static double of(long pid) {
        return ProcessHandle.of(pid).stream()
                .flatMap(process -> Stream.concat(Stream.of(process), process.descendants()))
                .mapToDouble(process -> process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L) / 1e9)
                .sum();
    }
}
