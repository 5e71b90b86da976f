package dev.weir.storage.engine;

import dev.weir.model.Update;
import dev.weir.storage.log.LoggedUpdate;

/** The observation points of an engine for tests, which may also fail there. */
interface Probe {
    /** Does nothing. */
    Probe NONE = new Probe() {
    };

    /** Called when recovery reads an update from the log, whether or not the backend has it. */
    default void recovered(LoggedUpdate update) {}

    /** Called when an update is in the log and about to become visible. */
    default void appearing(Update update) {}
}
