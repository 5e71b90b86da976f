package dev.weir.storage.transfer;

import java.time.Duration;
import java.util.Map;

/**
 * The result of a transfer.
 *
 * @param source name of the source
 * @param target name of the target
 * @param resumed whether it resumed an earlier run
 * @param doneBefore whether the same content was added before, so that nothing was done
 * @param read number of hashes from the source, including those that were too old
 * @param written the effect on the target
 * @param omitted what was left out, by reason, without zeros
 * @param time duration
 */
public record TransferReport(String source, String target, boolean resumed, boolean doneBefore, long read,
        HashTarget.Written written, Map<Omission, Long> omitted, Duration time) {

    /** Copies the map. */
    public TransferReport {
        omitted = Map.copyOf(omitted);
    }

    /** Returns the number of hashes read per second. */
    public double rate() {
        return read * 1e9 / Math.max(1, time.toNanos());
    }
}
