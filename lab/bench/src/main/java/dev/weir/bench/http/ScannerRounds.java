package dev.weir.bench.http;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import dev.weir.bench.http.Scanners.Scanner;
import dev.weir.bench.peer.ProcessorTime;
import dev.weir.bench.peer.ThreadTimes;
import org.HdrHistogram.Histogram;

/** What a scanner did in each period of load: before the measurement, which only warms it up, and in its rounds. */
final class ScannerRounds {
    /** A JIT compiler that needs less of the time of a scanner has compiled what matters. */
    private static final double SETTLED = 0.03;

    private final Scanner scanner;
    private final ScanLoad load;
    private final int connections;
    private final List<Round> warmUp = new ArrayList<>();
    private final List<Round> rounds = new ArrayList<>();

    ScannerRounds(Scanner scanner, List<byte[]> mails, int connections) {
        this.scanner = scanner;
        this.load = new ScanLoad(scanner.address(), mails, Scanners.SYMBOL);
        this.connections = connections;
    }

    /**
     * A period of load.
     *
     * @param processor seconds of a processor that all processes of the scanner used
     * @param compilers seconds of them in the threads of a JIT compiler
     * @param collector seconds of them in the threads of a garbage collector
     */
    record Round(ScanLoad.Outcome outcome, double processor, double compilers, double collector) {
        /** Returns the milliseconds of a processor for a mail. */
        double millis() {
            return processor * 1e3 / outcome.answered();
        }

        /** Returns the share of the compilers in the processor time. */
        double compilersShare() {
            return compilers / processor;
        }
    }

    long pid() {
        return scanner.process().pid();
    }

    ScanLoad load() {
        return load;
    }

    /**
     * Warms the scanner up in periods of a length, until two in a row left little to its compilers.
     *
     * @param most the longest time
     */
    void warmUp(Duration most, Duration period) throws IOException, InterruptedException {
        int settled = 0;
        for (Duration left = most; left.isPositive() && settled < 2; left = left.minus(period)) {
            Round round = run(left.compareTo(period) < 0 ? left : period);
            warmUp.add(round);
            settled = round.compilersShare() < SETTLED ? settled + 1 : 0;
        }
    }

    void measure(Duration time) throws IOException, InterruptedException {
        rounds.add(run(time));
    }

    private Round run(Duration time) throws IOException, InterruptedException {
        long pid = pid();
        ThreadTimes threads = ThreadTimes.of(pid);
        double processor = ProcessorTime.of(pid);
        ScanLoad.Outcome outcome = load.run(connections, time);
        processor = ProcessorTime.of(pid) - processor;
        ThreadTimes after = ThreadTimes.of(pid);
        return new Round(outcome, processor,
                after.since(threads, name -> name.startsWith("C1 ") || name.startsWith("C2 ")) / 1e9,
                after.since(threads, name -> name.startsWith("ZDriver") || name.startsWith("ZWorker")) / 1e9);
    }

    /** Returns the measured rounds. */
    List<Round> rounds() {
        return rounds;
    }

    /** Returns the latency of all measured mails. */
    Histogram latency() {
        Histogram latency = rounds.getFirst().outcome().latency().copy();
        rounds.stream().skip(1).forEach(round -> latency.add(round.outcome().latency()));
        return latency;
    }

    /** Returns a sum over the measured rounds. */
    double sum(ToDoubleFunction<Round> value) {
        return rounds.stream().mapToDouble(value).sum();
    }

    /** Returns what the periods show one after the other: a scanner that gets faster was measured too early. */
    String course() {
        return "rates %s mails/s; processor time of a mail %s ms; share of the compilers %s %%".formatted(
                course("%,.0f", round -> round.outcome().rate()), course("%.2f", Round::millis),
                course("%.0f", round -> 100 * round.compilersShare()));
    }

    private String course(String format, ToDoubleFunction<Round> value) {
        return shown(warmUp, format, value) + " | " + shown(rounds, format, value);
    }

    private static String shown(List<Round> rounds, String format, ToDoubleFunction<Round> value) {
        return rounds.stream().map(round -> String.format(Locale.ROOT, format, value.applyAsDouble(round)))
                .collect(Collectors.joining(" "));
    }
}
