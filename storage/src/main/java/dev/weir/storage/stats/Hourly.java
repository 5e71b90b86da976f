package dev.weir.storage.stats;

import java.util.concurrent.TimeUnit;

/**
 * Mean checks and matches per hour, computed as in Rspamd (docs/reference/storage.md#counters). Samples are an hour or
 * slightly more apart, and each moves the mean halfway to the new value.
 *
 * @param checked the mean number of checks
 * @param matched the mean number of matches
 * @param atChecked the total of checks at the last sample
 * @param atMatched the total of matches at the last sample
 * @param millis the time of the last sample, or 0 if there is none
 */
record Hourly(double checked, double matched, long atChecked, long atMatched, long millis) {
    static final Hourly NONE = new Hourly(0, 0, 0, 0, 0);

    private static final long HOUR = TimeUnit.HOURS.toMillis(1);

    Hourly next(Counts total, long now) {
        if (millis == 0) {
            return new Hourly(0, 0, total.checked(), total.matched(), now);
        }
        if (now - millis <= HOUR) {
            return this;
        }
        return new Hourly(checked + (total.checked() - atChecked - checked) / 2,
                matched + (total.matched() - atMatched - matched) / 2, total.checked(), total.matched(), now);
    }
}
