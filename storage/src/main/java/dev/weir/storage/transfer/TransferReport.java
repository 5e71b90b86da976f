package dev.weir.storage.transfer;

import java.time.Duration;
import java.util.Map;

/**
 * What a transfer did.
 *
 * @param source name of the source
 * @param target name of the target
 * @param resumed whether it went on where an earlier run had stopped
 * @param doneBefore whether this very content had been added before, so that nothing was done
 * @param read hashes that the source gave, those left out as too old included
 * @param written what became of them
 * @param omitted what was left out, by reason, without zeros
 * @param time how long it took
 */
public record TransferReport(String source, String target, boolean resumed, boolean doneBefore, long read,
        HashTarget.Written written, Map<Omission, Long> omitted, Duration time) {

    /** Copies the map. */
    public TransferReport {
        omitted = Map.copyOf(omitted);
    }

    /** Hashes read a second. */
    public double rate() {
        return read * 1e9 / Math.max(1, time.toNanos());
    }
}
