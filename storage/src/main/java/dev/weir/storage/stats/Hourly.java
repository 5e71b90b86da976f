package dev.weir.storage.stats;

import java.util.concurrent.TimeUnit;

/**
 * The mean of checks and matches an hour as Rspamd has it (docs/reference/storage.md#counters): each sample, an hour or
 * a little more after the last one, moves the mean half the way.
 *
 * @param checked the mean of checks
 * @param matched the mean of matches
 * @param atChecked checks at the last sample
 * @param atMatched matches at the last sample
 * @param millis when that was, 0 for never
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
