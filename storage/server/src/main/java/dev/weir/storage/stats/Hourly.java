package dev.weir.storage.stats;

import java.util.concurrent.TimeUnit;

/**
 * Mean checks and matches per hour, computed as in Rspamd (docs/reference/storage.md#counters). Samples are an hour or
 * slightly more apart, and each moves the mean halfway to the new value. Unlike in Rspamd, whose mean begins at 0, the
 * first one takes the value as it is.
 *
 * @param checked the mean number of checks
 * @param matched the mean number of matches
 * @param atChecked the total of checks at the last sample
 * @param atMatched the total of matches at the last sample
 * @param millis the time of the last sample or of the start, or 0 before both
 * @param full whether an hour has passed, so that there is a mean
 */
record Hourly(double checked, double matched, long atChecked, long atMatched, long millis, boolean full) {
    static final Hourly NONE = new Hourly(0, 0, 0, 0, 0, false);

    private static final long HOUR = TimeUnit.HOURS.toMillis(1);

    Hourly next(Counts total, long now) {
        if (millis == 0) {
            return new Hourly(0, 0, 0, 0, now, false);
        }
        if (now - millis <= HOUR) {
            return this;
        }
        long checks = total.checked() - atChecked;
        long matches = total.matched() - atMatched;
        return new Hourly(full ? checked + (checks - checked) / 2 : checks,
                full ? matched + (matches - matched) / 2 : matches, total.checked(), total.matched(), now, true);
    }

    /** Returns the mean to report: in the first hour, what the hour has brought so far. */
    Hourly reported(Counts total) {
        return full ? this : new Hourly(total.checked(), total.matched(), atChecked, atMatched, millis, false);
    }
}
