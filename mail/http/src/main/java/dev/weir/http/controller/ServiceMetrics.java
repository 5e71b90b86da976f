package dev.weir.http.controller;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.http.metrics.Histogram;
import dev.weir.scan.ScanResult;
import dev.weir.scan.score.SymbolResult;

/** The counters of the endpoints: mails, actions, symbols, learn requests, requests. Thread-safe. */
final class ServiceMetrics {
    /** A safety bound. Symbols come from the configuration. */
    private static final int MAX_SYMBOLS = 10_000;

    private final InstantSource clock;
    private final Map<String, LongAdder> actions = new LinkedHashMap<>();
    private final Map<String, LongAdder> symbols = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> endpoints = new ConcurrentHashMap<>();
    private final LongAdder scanned = new LongAdder();
    private final LongAdder incomplete = new LongAdder();
    private final LongAdder notHashed = new LongAdder();
    private final LongAdder learned = new LongAdder();
    private final LongAdder learnFailures = new LongAdder();
    private final LongAdder connections = new LongAdder();
    private final Histogram scanSeconds = new Histogram(List.of(0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,
            0.25, 0.5, 1.0, 2.5, 5.0, 10.0));
    private volatile Instant since;

    ServiceMetrics(InstantSource clock) {
        this.clock = clock;
        this.since = clock.instant();
        actions.put(Actions.NOTHING, new LongAdder());
        Actions.NAMES.forEach(name -> actions.put(name, new LongAdder()));
    }

    void scanned(ScanResult result, String action, Duration time) {
        scanned.increment();
        LongAdder counter = actions.get(action);
        if (counter != null) {
            counter.increment();
        }
        if (result.notHashed().isPresent()) {
            notHashed();
        } else if (!result.complete()) {
            incomplete.increment();
        }
        for (SymbolResult symbol : result.symbols()) {
            count(symbols, symbol.name());
        }
        scanSeconds.observe(time.toNanos() / 1e9);
    }

    /** Counts a mail whose cost exceeded the limit. */
    void notHashed() {
        notHashed.increment();
    }

    long mailsNotHashed() {
        return notHashed.sum();
    }

    void learned(boolean success) {
        (success ? learned : learnFailures).increment();
    }

    void requested(String endpoint, int status) {
        connections.increment();
        count(endpoints, endpoint + " " + status);
    }

    private static void count(Map<String, LongAdder> counters, String name) {
        LongAdder counter = counters.get(name);
        if (counter == null && counters.size() < MAX_SYMBOLS) {
            counter = counters.computeIfAbsent(name, _ -> new LongAdder());
        }
        if (counter != null) {
            counter.increment();
        }
    }

    /** Resets the figures of {@code /stat}. Metrics continue. */
    void reset() {
        scanned.reset();
        learned.reset();
        connections.reset();
        actions.values().forEach(LongAdder::reset);
        symbols.values().forEach(LongAdder::reset);
        since = clock.instant();
    }

    long scanned() {
        return scanned.sum();
    }

    long incomplete() {
        return incomplete.sum();
    }

    long learned() {
        return learned.sum();
    }

    long learnFailures() {
        return learnFailures.sum();
    }

    long connections() {
        return connections.sum();
    }

    long action(String name) {
        LongAdder counter = actions.get(name);
        return counter == null ? 0 : counter.sum();
    }

    /** Returns the hits of a symbol. */
    long hits(String symbol) {
        LongAdder counter = symbols.get(symbol);
        return counter == null ? 0 : counter.sum();
    }

    /** Returns the hits of all symbols that had any. */
    Map<String, Long> symbols() {
        return sums(symbols);
    }

    /** Returns the requests by endpoint and status, separated by a blank. */
    Map<String, Long> endpoints() {
        return sums(endpoints);
    }

    private static Map<String, Long> sums(Map<String, LongAdder> counters) {
        Map<String, Long> sums = new TreeMap<>();
        counters.forEach((name, counter) -> sums.put(name, counter.sum()));
        return sums;
    }

    Histogram scanSeconds() {
        return scanSeconds;
    }

    Duration age() {
        return Duration.between(since, clock.instant());
    }
}
