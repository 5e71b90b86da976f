package dev.weir.cli.transfer;

import java.time.Duration;
import java.time.InstantSource;

import dev.weir.cli.option.TimeConverter;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.Expiry;
import dev.weir.storage.transfer.Merge;
import dev.weir.storage.transfer.redis.RedisPlace;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that import and export share. */
final class TransferOptions {
    /** Environment variable with the Redis password. Other users can see command lines but not this. */
    static final String PASSWORD_VARIABLE = "WEIR_REDIS_PASSWORD";

    @Option(names = "--dry-run", description = "Read and count everything, print the report, and write nothing.")
    private boolean dryRun;

    @Option(names = "--merge", paramLabel = "RULE", defaultValue = "max",
            description = "How to merge with an existing digest: max keeps the greater value and the newer time of "
                    + "each flag, add sums the values, keep changes nothing (default: max).")
    private Merge merge = Merge.MAX;

    @Option(names = "--expire", paramLabel = "TIME", converter = TimeConverter.class,
            description = "Skip hashes that neither changed nor were renewed for this long, such as 90d or 12h "
                    + "(default: skip none).")
    private @Nullable Duration expire;

    @Option(names = "--restart", description = "Start over instead of continuing an interrupted run.")
    private boolean restart;

    @Option(names = "--json", description = "Print the report as a JSON object.")
    private boolean json;

    /**
     * Returns the Redis that an argument names, with the password from the environment if set.
     *
     * @throws FailedException if the argument is malformed
     */
    static RedisPlace redis(String argument) {
        try {
            return RedisPlace.parse(argument, System.getenv(PASSWORD_VARIABLE));
        } catch (StorageException e) {
            throw new FailedException(ExitCode.USAGE, String.valueOf(e.getMessage()));
        }
    }

    boolean dryRun() {
        return dryRun;
    }

    Merge merge() {
        return merge;
    }

    boolean restart() {
        return restart;
    }

    boolean json() {
        return json;
    }

    @Nullable
    Duration expire() {
        return expire == null || expire.isZero() ? null : expire;
    }

    Expiry expiry() {
        Duration age = expire();
        return age == null
                ? Expiry.NONE
                : new Expiry(InstantSource.system().instant().getEpochSecond() - age.toSeconds());
    }
}
