package dev.weir.storage.access.gate;

import dev.weir.storage.stats.ClientStatistics;

/** The state of a key that survives a change of rules: its rate limit bucket and its statistics. */
record KeyState(Bucket bucket, ClientStatistics statistics) {}
