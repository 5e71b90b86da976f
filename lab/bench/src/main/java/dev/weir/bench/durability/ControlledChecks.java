package dev.weir.bench.durability;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;

import dev.weir.bench.load.CheckLoad;
import dev.weir.bench.load.Histograms;
import dev.weir.bench.load.WarmUp;
import org.HdrHistogram.Histogram;

/**
 * Checks of a storage, and the same requests to a server that does nothing but answer. What delays both is the machine:
 * other threads that use the processors, the hypervisor, and the generator itself.
 */
final class ControlledChecks implements AutoCloseable {
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
            return new Result(checks.plus(other.checks), Histograms.sum(control, other.control));
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
            WarmUp warmUp, Duration time) throws IOException {
        CheckLoad checks = CheckLoad.start(storage, plan, warmUp, time);
        try {
            return new ControlledChecks(checks, checks.startBeside(echo));
        } catch (IOException | RuntimeException e) {
            checks.close();
            throw e;
        }
    }

    /**
     * Ends both, and returns what was due after the warm-up. Both stop before either waits for late replies, because
     * the control would see a quieter machine meanwhile.
     */
    Result end() throws IOException, InterruptedException {
        checks.stop();
        control.stop();
        return finish();
    }

    /** Waits until the time of both is over, and returns what was due after the warm-up. */
    Result finish() throws IOException, InterruptedException {
        return new Result(checks.finish(), control.finish().latency());
    }

    /** Returns what was due in the warm-up, when both have ended. */
    Result early() {
        return new Result(checks.early(), control.early().latency());
    }

    /** Ends both without a result, if they have not ended. */
    @Override
    public void close() throws IOException {
        try {
            checks.close();
        } finally {
            control.close();
        }
    }
}
