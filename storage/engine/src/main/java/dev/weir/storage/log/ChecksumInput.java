package dev.weir.storage.log;

import java.util.Arrays;
import java.util.OptionalLong;

/** What the {@link RunningChecksum} needs of the updates that a start reads, at most those of its segments. */
final class ChecksumInput {
    private long[] parts = new long[3 * 1_024];
    private int length;

    void add(LoggedUpdate update) {
        if (length == parts.length) {
            parts = Arrays.copyOf(parts, length * 2);
        }
        parts[length] = update.revision();
        parts[length + 1] = update.millis();
        parts[length + 2] = update.update().digest().word(0);
        length += 3;
    }

    /** Returns the checksum up to a revision; empty if an update before it is missing. */
    OptionalLong checksum(long before, long first, long last) {
        long sum = before;
        long next = first;
        for (int at = 0; at < length && next <= last; at += 3) {
            if (parts[at] != next) {
                return OptionalLong.empty();
            }
            sum = RunningChecksum.after(sum, next, parts[at + 1], parts[at + 2]);
            next++;
        }
        return next == last + 1 ? OptionalLong.of(sum) : OptionalLong.empty();
    }
}
