package dev.weir.storage.engine;

import dev.weir.model.Update;
import dev.weir.storage.log.LoggedUpdate;

/** What a test observes of an engine, and where it makes it fail. */
interface Probe {
    /** Does nothing. */
    Probe NONE = new Probe() {
    };

    /** Recovery reads an update from the log, whether or not the backend has it. */
    default void recovered(LoggedUpdate update) {}

    /** An update is in the log and about to be visible to lookups. */
    default void appearing(Update update) {}
}
