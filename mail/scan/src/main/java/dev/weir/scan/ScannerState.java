package dev.weir.scan;

import java.util.Map;

import dev.weir.scan.outgoing.OutgoingFigures;
import dev.weir.scan.score.SymbolTable;

/** What a scanner tells of itself: its rules, and what it has counted since its start. */
public interface ScannerState {
    /** Returns the rules with their servers. */
    StoragesListing storages();

    /** Returns the configured symbols. */
    SymbolTable symbols();

    /**
     * Returns the last known number of hashes at the servers of each rule. Rules whose servers have not answered yet
     * are missing. Never waits: a count older than two seconds is requested again for the next call.
     */
    Map<String, Long> counts();

    /**
     * Returns the number of requests that were sent without their side hashes of HTML, because the storage does not
     * answer requests with them.
     */
    long reducedRequests();

    /** Returns the number of updates that waited and that a server then refused for good. */
    long refusedUpdates();

    /** Returns what was counted of mails with a login. */
    OutgoingFigures outgoing();
}
