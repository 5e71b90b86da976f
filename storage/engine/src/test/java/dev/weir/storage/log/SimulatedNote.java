package dev.weir.storage.log;

import java.io.IOException;
import java.util.Optional;

/** The note about the end of a simulated log. */
class SimulatedNote implements LogEndNote {
    private Optional<LogEnd> end = Optional.empty();

    /** The part of it that a crash of the machine leaves. */
    private Optional<LogEnd> durable = Optional.empty();

    @Override
    public Optional<LogEnd> read() {
        return end;
    }

    @Override
    public void write(LogEnd next) {
        end = Optional.of(next);
        durable = end;
    }

    @Override
    public void update(LogEnd next) throws IOException {
        end = Optional.of(next);
    }

    @Override
    public void force() throws IOException {
        durable = end;
    }

    /** The machine crashes. */
    void crash() {
        end = durable;
    }
}
