package dev.weir.milter;

import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

import dev.weir.http.message.BodyBudget;
import dev.weir.http.metrics.Metric;
import dev.weir.http.server.ListenSockets;
import dev.weir.milter.server.MilterServer;
import dev.weir.milter.session.MailScan;
import dev.weir.milter.session.MilterCounters;
import dev.weir.milter.session.MilterSession;
import dev.weir.milter.settings.MilterSettings;
import dev.weir.scan.ScanContext;
import dev.weir.scan.ScanResult;

/**
 * A milter in front of a scanner. Every connection has its own virtual thread, so the scanner must not hash a mail on
 * the calling thread: pass mails to a {@link dev.weir.scan.pool.ScanPool}, or use a client with threads of its own.
 *
 * <pre>{@code ListenSockets doors = ListenSockets.bind(settings.binds());
 * MilterService service = MilterService.of(settings, doors, fuzzyCheck::check);
 * List<SocketAddress> addresses = service.start(); ... service.close(); }</pre>
 *
 * <p>Start it once, close it once, from any thread. The scanner stays open.
 */
public final class MilterService implements AutoCloseable {
    private final MilterServer server;
    private final MilterCounters counters = new MilterCounters();
    private final BodyBudget budget = BodyBudget.ofHeap().half();
    private volatile MilterSettings settings;

    private MilterService(MilterSettings settings, ListenSockets doors,
            BiFunction<byte[], ScanContext, CompletableFuture<ScanResult>> scanner) {
        this.settings = settings;
        this.server = new MilterServer(new MilterSession.Shared(new MailScan(scanner), budget, counters), settings,
                doors);
    }

    /**
     * Creates a service.
     *
     * @param doors the bound sockets, which this closes in the end
     * @param scanner the check of a mail, which does not hash it on the calling thread
     * @throws IllegalArgumentException if it listens beyond this machine and no other mail server may connect
     */
    public static MilterService of(MilterSettings settings, ListenSockets doors,
            BiFunction<byte[], ScanContext, CompletableFuture<ScanResult>> scanner) {
        settings.requireOpenDoor();
        return new MilterService(settings, doors, scanner);
    }

    /** Starts to accept connections. Returns the addresses with their actual ports. */
    public List<SocketAddress> start() {
        return server.start();
    }

    /** Returns the settings in force. */
    public MilterSettings settings() {
        return settings;
    }

    /**
     * Replaces all settings except the addresses. Mails in progress keep theirs.
     *
     * @throws IllegalArgumentException if the addresses in force need networks that may connect; nothing changes
     */
    public synchronized void reconfigure(MilterSettings others) {
        MilterSettings next = others.withBinds(settings.binds());
        next.requireOpenDoor();
        settings = next;
        server.reconfigure(next);
    }

    /** Returns the counters. */
    public MilterCounters counters() {
        return counters;
    }

    /** Returns the metrics. */
    public List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>(counters.metrics());
        metrics.add(Metric.gauge("weir_milter_connections_open", "Open connections of mail servers.", server.open()));
        metrics.add(Metric.gauge("weir_milter_mail_bytes", "Memory that arriving mails occupy, in bytes.",
                budget.used()));
        return metrics;
    }

    @Override
    public void close() {
        server.close();
    }
}
