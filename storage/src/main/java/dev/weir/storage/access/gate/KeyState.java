package dev.weir.storage.access.gate;

import dev.weir.storage.stats.ClientStatistics;

/** What outlives the rules of a key: its rate limit's bucket and what was counted. */
record KeyState(Bucket bucket, ClientStatistics statistics) {}
