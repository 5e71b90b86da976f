package dev.weir.cli.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.TimeConverter;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Failures;
import dev.weir.cli.terminal.Terminal;
import dev.weir.model.failure.Reason;
import dev.weir.os.RegularFile;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.HashSource;
import dev.weir.storage.transfer.HashTarget;
import dev.weir.storage.transfer.carry.CarryOver;
import dev.weir.storage.transfer.dump.DumpReader;
import dev.weir.storage.transfer.dump.DumpSource;
import dev.weir.storage.transfer.flat.FlatFileSource;
import dev.weir.storage.transfer.redis.RedisPlace;
import dev.weir.storage.transfer.redis.RedisSource;
import dev.weir.storage.transfer.sqlite.SqliteSource;
import dev.weir.storage.transfer.storage.StorageDryRun;
import dev.weir.storage.transfer.storage.StorageTarget;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir import}: a command that copies hashes from another storage into a data folder. */
@Command(name = "import", mixinStandardHelpOptions = true, description = {
    "Imports hashes from another storage into the data folder of a stopped storage.",
    "After an interruption, run the command again to continue."}, exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:everything was imported except what the report names",
            "2:the command line is wrong",
            "3:the source cannot be read or is truncated; its complete hashes are imported",
            "6:the data folder cannot be written, or another weir is using it"})
public final class ImportCommand implements Callable<Integer> {
    private static final String EMPTY_REDIS = "; does Rspamd use another database (/N) or another prefix "
            + "(?prefix=NAME, the value of its option prefix)?";

    private static final byte[] SQLITE = "SQLite format 3\0".getBytes(StandardCharsets.US_ASCII);

    private final Terminal terminal;

    @Mixin
    private DataOption dataOption = new DataOption();

    @Mixin
    private TransferOptions options = new TransferOptions();

    @Option(names = "--lifetime", paramLabel = "TIME", converter = TimeConverter.class,
            description = "From Redis: the value of expire in the Rspamd that filled it (default: the longest time to "
                    + "live in Redis).")
    private @Nullable Duration lifetime;

    @Parameters(paramLabel = "SOURCE",
            description = "An SQLite file of Rspamd or Weir, a dump of weir export, a flat file of Rspamd before 0.8, "
                    + "a data folder of Weir, - for a dump on standard input, or "
                    + "redis://[user[:password]@]host[:port][/db][?prefix=fuzzy] (rediss:// for TLS; the password may "
                    + "be in " + TransferOptions.PASSWORD_VARIABLE + ").")
    private String source = "";

    public ImportCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        return RedisPlace.looksLike(source) ? fromRedis() : fromFile();
    }

    private int fromRedis() {
        Path data = dataOption.folder();
        RedisPlace place = TransferOptions.redis(source);
        // Lock the folder first: the source spools fetched hashes there.
        try (HashTarget target = target(data, options.dryRun())) {
            Path spool = options.dryRun()
                    ? Files.createTempDirectory("weir-import").resolve(DataFolder.IMPORT_SPOOL)
                    : data.resolve(DataFolder.IMPORT_SPOOL);
            try (HashSource hashes = RedisSource.open(place, spool, options.restart(), InstantSource.system(),
                    lifetime == null ? 0 : lifetime.toSeconds())) {
                return new TransferRun(terminal, options, terminal.out()).run(hashes, target, EMPTY_REDIS);
            } finally {
                if (options.dryRun()) {
                    Files.deleteIfExists(spool);
                    Files.deleteIfExists(spool.resolveSibling(DataFolder.IMPORT_SPOOL + "-wal"));
                    Files.deleteIfExists(spool.resolveSibling(DataFolder.IMPORT_SPOOL + "-shm"));
                    Files.deleteIfExists(spool.toAbsolutePath().getParent());
                }
            }
        } catch (StorageException e) {
            throw new FailedException(ExitCode.SERVER, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new FailedException(ExitCode.SERVER, "cannot create a temporary file: " + Reason.of(e));
        }
    }

    private int fromFile() {
        Path data = dataOption.folder();
        try (HashSource hashes = open(data)) {
            try (HashTarget target = target(data, options.dryRun())) {
                return new TransferRun(terminal, options, terminal.out()).run(hashes, target);
            } catch (StorageException e) {
                throw new FailedException(ExitCode.SERVER, String.valueOf(e.getMessage()));
            }
        } catch (StorageException e) {
            throw Failures.of(e, ExitCode.INPUT);
        }
    }

    private HashSource open(Path data) throws StorageException {
        if ("-".equals(source)) {
            return DumpSource.open("standard input", terminal.in());
        }
        Path given = Path.of(source);
        if (DataFolder.hasStore(given)) {
            return storeOtherThan(data, given);
        }
        boolean folder = Files.isDirectory(given);
        Path file = folder ? DataFolder.database(given) : given;
        byte[] beginning;
        try (InputStream in = Channels.newInputStream(RegularFile.openNamed(file))) {
            beginning = in.readNBytes(SQLITE.length);
            if (Files.exists(DataFolder.database(data))
                    && Files.isSameFile(file, DataFolder.database(data))) {
                throw new FailedException(ExitCode.USAGE, file + " is the database of the target folder");
            }
        } catch (IOException e) {
            throw new FailedException(ExitCode.INPUT, "cannot read " + file + ": " + Reason.of(e));
        }
        if (Arrays.equals(beginning, SQLITE)) {
            return folder ? DataFolderSource.open(given) : SqliteSource.open(file);
        }
        if (DumpReader.looksLike(beginning)) {
            return DumpSource.open(file);
        }
        if (FlatFileSource.looksLike(beginning)) {
            return FlatFileSource.open(file);
        }
        throw new FailedException(ExitCode.INPUT,
                file + " is not an SQLite file, a dump of weir export, or a flat file of Rspamd before 0.8");
    }

    private static HashSource storeOtherThan(Path data, Path given) throws StorageException {
        try {
            if (Files.exists(data) && Files.isSameFile(given, data)) {
                throw new FailedException(ExitCode.USAGE, given + " is the target folder");
            }
        } catch (IOException e) {
            throw new FailedException(ExitCode.INPUT, "cannot read " + given + ": " + Reason.of(e, given));
        }
        return DataFolderSource.open(given);
    }

    private static HashTarget target(Path data, boolean dry) throws StorageException {
        return dry
                ? StorageDryRun.open(data)
                : StorageTarget.open(data, CarryOver.openWithoutMirror(data), InstantSource.system());
    }
}
