package dev.weir.trap;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.weir.http.controller.Route;
import dev.weir.http.metrics.Metric;
import dev.weir.http.tls.TlsContext;
import dev.weir.model.failure.FailureReminders;
import dev.weir.os.RegularFile;
import dev.weir.scan.FuzzyCheck;
import dev.weir.scan.pool.ScanLane;
import dev.weir.trap.campaign.CampaignDatabase;
import dev.weir.trap.campaign.CampaignDatabaseException;
import dev.weir.trap.decision.TrapCounters;
import dev.weir.trap.decision.TrapDecider;
import dev.weir.trap.decision.TrapMail;
import dev.weir.trap.decision.TrapOutcome;
import dev.weir.trap.folder.FolderReader;
import dev.weir.trap.folder.FolderWatch;
import dev.weir.trap.folder.ImapReader;
import dev.weir.trap.http.ComplaintEndpoint;
import dev.weir.trap.settings.TrapSettings;
import dev.weir.trap.smtp.TrapListeners;
import dev.weir.trap.smtp.TrapServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spam traps in front of a scanner. Every connection has its own virtual thread, and a pool hashes the mails. Use a
 * scanner whose executor is {@code Runnable::run}.
 *
 * <pre>{@code TrapListeners doors = TrapListeners.bind(settings.smtp(), settings.lmtp());
 * TrapService service = TrapService.open(settings, doors, fuzzyCheck,
 *     pool.lane(ScanPool.Source.TRAP), folder.resolve("traps.db"));
 * List<InetSocketAddress> addresses = service.start(); ... service.close(); }</pre>
 *
 * <p>Start it once, close it once, from any thread. The scanner stays open.
 */
public final class TrapService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TrapService.class);

    private final CampaignDatabase store;
    private final TrapCounters counters = new TrapCounters();
    private final TrapDecider decider;
    private final TrapServer server;
    private final FolderWatch watch;
    private final FailureReminders<CampaignDatabase> failures = new FailureReminders<>(System::nanoTime);
    private final Optional<TlsContext> tls;
    private volatile TrapSettings settings;

    private TrapService(TrapSettings settings, TrapListeners doors, FuzzyCheck client, ScanLane lane,
            CampaignDatabase store, Optional<TlsContext> tls) {
        this.settings = settings;
        this.store = store;
        this.tls = tls;
        this.decider = new TrapDecider(client, lane, store, counters, settings);
        this.server = new TrapServer(doors, tls, settings, decider, counters);
        FolderReader.Taker taker = new FolderReader.Taker() {
            @Override
            public TrapOutcome take(TrapMail mail) throws InterruptedException {
                return decider.take(mail).outcome();
            }

            @Override
            public void tooLarge(TrapMail mail) {
                decider.tooLarge(mail);
            }

            @Override
            public void refused(RegularFile.RefusedException why) {
                counters.count(why.refusal());
            }
        };
        this.watch = new FolderWatch(new FolderReader(store, settings.mailBytes(), taker),
                new ImapReader(store, settings.mailBytes(), taker), this::settings, counters);
    }

    /**
     * Opens the campaigns.
     *
     * @param doors the bound sockets, which this closes in the end
     * @param client the client that checks and learns
     * @param lane the threads that hash mails
     * @param file the file of campaigns, which is created if it is missing
     * @throws IOException if the file or the certificate cannot be used
     */
    public static TrapService open(TrapSettings settings, TrapListeners doors, FuzzyCheck client, ScanLane lane,
            Path file) throws IOException {
        Optional<TlsContext> tls = settings.tls().isPresent()
                ? Optional.of(TlsContext.load(settings.tls().get()))
                : Optional.empty();
        return new TrapService(settings, doors, client, lane, CampaignDatabase.open(file), tls);
    }

    /** Starts to accept connections and to read folders. Returns the addresses with their actual ports. */
    public List<InetSocketAddress> start() {
        watch.start(settings.poll());
        return server.start();
    }

    /** Returns the endpoints for HTTP: that for complaints, if they are taken at the start. */
    public List<Route> routes() {
        return settings.complaints().isPresent()
                ? List.of(ComplaintEndpoint.route(decider, settings.mailBytes()))
                : List.of();
    }

    /** Returns the settings in force. */
    public TrapSettings settings() {
        return settings;
    }

    /**
     * Replaces all settings except the addresses, the certificate, the timeout, the size of mails in folders and the
     * pause.
     */
    public void reconfigure(TrapSettings others) {
        TrapSettings next = others.listeningAs(settings);
        settings = next;
        decider.reconfigure(next);
        server.reconfigure(next);
    }

    /** Returns a sentence about the file of campaigns, if it was damaged at the start. */
    public Optional<String> damage() {
        return store.damage();
    }

    /** Returns the counters. */
    public TrapCounters counters() {
        return counters;
    }

    /** Returns the metrics. */
    public List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>(counters.metrics());
        metrics.add(Metric.gauge("weir_trap_connections_open", "Open connections to traps.", server.open()));
        metrics.add(Metric.gauge("weir_trap_tls_end_seconds",
                "When the certificate of traps expires, in Unix time; 0 without one.",
                tls.map(context -> context.end().getEpochSecond()).orElse(0L)));
        metrics.add(Metric.counter("weir_trap_tls_reload_failures",
                "Changes of the certificate of traps that could not be used.",
                tls.map(TlsContext::failures).orElse(0L)));
        try {
            metrics.add(Metric.gauge("weir_trap_campaigns", "Campaigns that traps remember.", store.size()));
            metrics.add(Metric.gauge("weir_trap_campaigns_held",
                    "Campaigns that are held back until more sources have sent them.", store.held()));
            if (failures.end(store)) {
                LOG.info("the campaigns of traps can be counted again");
            }
        } catch (CampaignDatabaseException e) {
            String reason = String.valueOf(e.getMessage());
            if (failures.isDue(store, reason)) {
                LOG.warn("the campaigns of traps cannot be counted: {}", reason);
            }
        }
        return metrics;
    }

    @Override
    public void close() {
        server.close();
        watch.close();
        try {
            store.close();
        } catch (CampaignDatabaseException e) {
            LOG.error("the campaigns of traps were not closed: {}", e.getMessage());
        }
    }
}
