package dev.weir.milter.session;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

import dev.weir.http.metrics.EnumCounts;
import dev.weir.http.metrics.Metric;

/** What a filter counts since its start. Thread-safe. */
public final class MilterCounters {
    /** The events that are counted one by one. */
    public enum Event {
        /** A connection was accepted. */
        CONNECTION("weir_milter_connections", "Accepted connections of mail servers."),
        /** A connection was closed because its address may not connect. */
        NOT_ALLOWED("weir_milter_connections_not_allowed",
                "Connections closed because allow_ip does not contain their address."),
        /** A connection was closed because there were too many. */
        OVERFLOW("weir_milter_connections_overflowed", "Connections closed because too many are open."),
        /** The system could not open a connection. */
        ACCEPT_FAILURE("weir_milter_accept_failures", "Failures of the system to accept a connection."),
        /** A connection was closed because its time was over. */
        TIMEOUT("weir_milter_timeouts", "Connections closed because they were idle for too long."),
        /** A connection was closed because there was no memory for a packet. */
        NO_MEMORY("weir_milter_connections_no_memory",
                "Connections closed because there was no memory for what the mail server sent."),
        /** A connection ended with a network error. */
        LOST("weir_milter_connections_lost", "Connections that ended with a network error."),
        /** A mail server sent something that the protocol does not allow. */
        MALFORMED("weir_milter_malformed", "Connections closed because of a malformed packet."),
        /** A mail server gave up a mail. */
        ABORTED("weir_milter_mails_aborted", "Mails that the mail server gave up before their end."),
        /** A mail was deferred because it could not be scanned. */
        DEFERRED("weir_milter_mails_deferred", "Mails deferred because they could not be scanned completely."),
        /** A defect of this program. */
        DEFECT("weir_milter_defects", "Connections closed because of a bug in this program.");

        private final String metric;
        private final String help;

        Event(String metric, String help) {
            this.metric = metric;
            this.help = help;
        }
    }

    private final EnumCounts<Event> events = new EnumCounts<>(Event.class);
    private final Map<String, LongAdder> actions = new ConcurrentHashMap<>();
    private final EnumCounts<Shortfall> shortfalls = new EnumCounts<>(Shortfall.class);

    /** Starts with zeros. */
    public MilterCounters() {}

    /** Counts an event. */
    public void count(Event event) {
        events.count(event);
    }

    void scanned(String action) {
        actions.computeIfAbsent(action, _ -> new LongAdder()).increment();
    }

    void unscanned(Shortfall shortfall) {
        shortfalls.count(shortfall);
    }

    /** Returns how often an event happened. */
    public long of(Event event) {
        return events.of(event);
    }

    /** Returns the number of mails with an incomplete scan of one kind. */
    public long of(Shortfall shortfall) {
        return shortfalls.of(shortfall);
    }

    /** Returns the number of scanned mails with an action. */
    public long of(String action) {
        return actions.getOrDefault(action, new LongAdder()).sum();
    }

    /** Returns all counts as metrics. */
    public List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>();
        events.forEach((event, count) -> metrics.add(Metric.counter(event.metric, event.help, count)));
        List<Metric.Sample> mails = new ArrayList<>();
        new TreeMap<>(actions).forEach((action, count) -> mails.add(
                Metric.Sample.of(List.of(new Metric.Label("action", action)), count.sum())));
        metrics.add(Metric.counters("weir_milter_mails", "Scanned mails of mail servers, by action.", mails));
        metrics.add(Metric.counters("weir_milter_mails_unscanned",
                "Mails that could not be scanned, or not completely, by reason.",
                shortfalls.samples("reason", Shortfall::word)));
        return metrics;
    }
}
