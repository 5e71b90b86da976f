package dev.weir.bench.durability;

import java.io.IOException;
import java.net.InetSocketAddress;

import dev.weir.bench.load.CheckLoad;
import dev.weir.bench.load.LearnLoad;
import org.HdrHistogram.Histogram;

/**
 * Checks of a storage, and the same requests to a server that does nothing but answer. What delays both is the machine:
 * other threads that use the processors, the hypervisor, and the generator itself.
 */
final class ControlledChecks {
    private final CheckLoad checks;
    private final CheckLoad control;

    /**
     * The outcome.
     *
     * @param checks of the storage
     * @param control the latency of the server that only answers
     */
    record Result(CheckLoad.Result checks, Histogram control) {
        /** Returns the sum of this and another result. */
        Result plus(Result other) {
            Histogram both = control.copy();
            both.add(other.control);
            return new Result(checks.plus(other.checks), both);
        }
    }

    private ControlledChecks(CheckLoad checks, CheckLoad control) {
        this.checks = checks;
        this.control = control;
    }

    /**
     * Starts both.
     *
     * @param echo the server that only answers, with whatever reply
     * @throws IOException if no socket can be opened
     */
    static ControlledChecks start(InetSocketAddress storage, InetSocketAddress echo, CheckLoad.Plan plan,
            LearnLoad.Extent.Time time) throws IOException {
        return new ControlledChecks(CheckLoad.start(storage, plan, time), CheckLoad.start(echo, plan, time));
    }

    /** Ends both. */
    Result end() throws IOException, InterruptedException {
        return new Result(checks.end(), control.end().latency());
    }

    /** Waits until the time of both is over. */
    Result finish() throws IOException, InterruptedException {
        return new Result(checks.finish(), control.finish().latency());
    }
}
