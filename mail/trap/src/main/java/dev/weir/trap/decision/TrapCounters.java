package dev.weir.trap.decision;

import java.util.ArrayList;
import java.util.List;

import dev.weir.http.metrics.EnumCounts;
import dev.weir.http.metrics.Metric;
import dev.weir.os.RegularFile;

/** What traps count since the start. Thread-safe. */
public final class TrapCounters {
    /** The events that are counted besides outcomes. */
    public enum Event {
        /** A connection was accepted. */
        CONNECTION("weir_trap_connections", "Connections to traps."),
        /** A connection got an error because there were too many. */
        OVERFLOW("weir_trap_connections_overflowed", "Connections to traps refused because too many are open."),
        /** A connection was refused because its address has too many. */
        TOO_MANY("weir_trap_connections_refused",
                "Connections to traps refused because too many of their address are open."),
        /** A recipient is no trap. */
        NO_TRAP("weir_trap_recipients_refused", "Recipients refused because they are not traps."),
        /** A connection was closed because it lasted too long. */
        TIMEOUT("weir_trap_timeouts", "Connections to traps closed because they lasted too long."),
        /** A client asked for TLS, and the handshake failed. */
        TLS_FAILURE("weir_trap_tls_failures", "Connections to traps that asked for TLS and whose handshake failed."),
        /** A connection ended because of a bug, or because there was no memory. */
        DEFECT("weir_trap_defects", "Connections to traps that ended because of a bug or a lack of memory."),
        /** A folder could not be read. */
        FOLDER_FAILURE("weir_trap_folder_failures", "Failed reads of the trap folders.");

        private final String metric;
        private final String help;

        Event(String metric, String help) {
            this.metric = metric;
            this.help = help;
        }
    }

    private final EnumCounts<Event> events = new EnumCounts<>(Event.class);
    private final EnumCounts<TrapOutcome> outcomes = new EnumCounts<>(TrapOutcome.class);
    private final EnumCounts<RegularFile.Refusal> files = new EnumCounts<>(RegularFile.Refusal.class);

    /** Starts with zeros. */
    public TrapCounters() {}

    /** Counts an event. */
    public void count(Event event) {
        events.count(event);
    }

    /** Counts a file in a trap folder that was not opened. */
    public void count(RegularFile.Refusal refusal) {
        files.count(refusal);
    }

    /** Returns how many files were not opened for a reason. */
    public long of(RegularFile.Refusal refusal) {
        return files.of(refusal);
    }

    /** Counts a mail. */
    public void count(TrapOutcome outcome) {
        outcomes.count(outcome);
    }

    /** Returns how often an event happened. */
    public long of(Event event) {
        return events.of(event);
    }

    /** Returns the number of mails with an outcome. */
    public long of(TrapOutcome outcome) {
        return outcomes.of(outcome);
    }

    /** Returns all counts as metrics. */
    public List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>();
        events.forEach((event, count) -> metrics.add(Metric.counter(event.metric, event.help, count)));
        metrics.add(Metric.counters("weir_trap_files_refused",
                "Files in trap folders that were not opened, by reason: a link, a folder, a pipe or device (special), "
                        + "the owner; once for each look.",
                files.samples("reason", RegularFile.Refusal::word)));
        metrics.add(Metric.counters("weir_trap_mails", "Mails of traps, reports and wanted mails, by outcome.",
                outcomes.samples("outcome", TrapOutcome::word)));
        return metrics;
    }
}
