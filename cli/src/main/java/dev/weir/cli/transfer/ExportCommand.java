package dev.weir.cli.transfer;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.TimeConverter;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Failures;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.CountingTarget;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.dump.DumpTarget;
import dev.weir.storage.transfer.redis.RedisPlace;
import dev.weir.storage.transfer.redis.RedisTarget;
import dev.weir.storage.transfer.sqlite.RspamdFileTarget;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir export}: a command that copies the hashes of a storage to a file or to Redis. */
@Command(name = "export", mixinStandardHelpOptions = true, description = {
    "Exports the hashes of a storage, running or stopped, for Rspamd or as a dump.",
    "A file gets its name only after it is complete."}, exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:everything was exported except what the report names",
            "2:the command line is wrong",
            "3:the data folder cannot be read",
            "6:the target cannot be written, or another weir is using the data folder"})
public final class ExportCommand implements Callable<Integer> {
    private static final Duration LIFETIME = Duration.ofDays(90);

    /** The format of an exported file. */
    enum Format {
        /** An SQLite file with only the tables of Rspamd. */
        SQLITE,
        /** A dump, see docs/reference/dump.md. */
        DUMP
    }

    private final Terminal terminal;

    @Mixin
    private DataOption dataOption = new DataOption();

    @Mixin
    private TransferOptions options = new TransferOptions();

    @Option(names = "--format", paramLabel = "FORMAT",
            description = "sqlite for a file that Rspamd can open, or dump (default: by the name: .db, .sqlite, "
                    + ".sqlite3; .dump, .weirdump).")
    private @Nullable Format format;

    @Option(names = "--overwrite", description = "Replace an existing file.")
    private boolean overwrite;

    @Option(names = "--lifetime", paramLabel = "TIME", converter = TimeConverter.class,
            description = "To Redis: time to live of each hash, counted from now, or with --expire from its last "
                    + "change (default: 90d).")
    private Duration lifetime = LIFETIME;

    @Parameters(paramLabel = "TARGET",
            description = "A file, - for a dump on standard output, or "
                    + "redis://[user[:password]@]host[:port][/db][?prefix=fuzzy] (rediss:// for TLS; the password may "
                    + "be in " + TransferOptions.PASSWORD_VARIABLE + ").")
    private String target = "";

    public ExportCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        boolean toStandardOutput = "-".equals(target);
        if (toStandardOutput && format == Format.SQLITE) {
            throw new FailedException(ExitCode.USAGE, "an SQLite file cannot go to standard output");
        }
        try (HashSource hashes = DataFolderSource.open(dataOption.folder())) {
            try (HashTarget opened = open(toStandardOutput)) {
                return new TransferRun(terminal, options, toStandardOutput ? terminal.err() : terminal.out())
                        .run(hashes, opened);
            } catch (StorageException e) {
                throw new FailedException(ExitCode.SERVER, String.valueOf(e.getMessage()));
            }
        } catch (StorageException e) {
            throw Failures.of(e, ExitCode.INPUT);
        }
    }

    private HashTarget open(boolean toStandardOutput) throws StorageException {
        InstantSource clock = InstantSource.system();
        if (RedisPlace.looksLike(target)) {
            RedisPlace place = TransferOptions.redis(target);
            return options.dryRun()
                    ? new CountingTarget(place.toString())
                    : RedisTarget.connect(place, clock, Math.max(1, lifetime.toSeconds()), options.expire() != null);
        }
        Format kind = toStandardOutput ? Format.DUMP : kind();
        if (options.dryRun()) {
            return new CountingTarget(toStandardOutput ? "standard output" : target);
        }
        if (toStandardOutput) {
            return DumpTarget.to("standard output", terminal.whole(), clock, new SecureRandom());
        }
        return switch (kind) {
            case SQLITE -> RspamdFileTarget.create(Path.of(target), overwrite, clock);
            case DUMP -> DumpTarget.create(Path.of(target), overwrite, clock, new SecureRandom());
        };
    }

    private Format kind() {
        if (format != null) {
            return format;
        }
        String name = target.toLowerCase(Locale.ROOT);
        if (name.endsWith(".db") || name.endsWith(".sqlite") || name.endsWith(".sqlite3")) {
            return Format.SQLITE;
        }
        if (name.endsWith(".dump") || name.endsWith(".weirdump")) {
            return Format.DUMP;
        }
        throw new FailedException(ExitCode.USAGE, "the name " + target + " has no known extension: add --format");
    }
}
