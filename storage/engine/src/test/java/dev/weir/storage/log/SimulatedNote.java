package dev.weir.storage.log;

import java.util.Optional;

/** The note about the end of a simulated log, which is durable at once. */
final class SimulatedNote implements LogEndNote {
    private Optional<LogEnd> end = Optional.empty();

    @Override
    public Optional<LogEnd> read() {
        return end;
    }

    @Override
    public void write(LogEnd next) {
        end = Optional.of(next);
    }
}
