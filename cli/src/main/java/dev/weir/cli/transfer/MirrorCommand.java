package dev.weir.cli.transfer;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.option.MirrorConverter;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.TransferReport;
import dev.weir.storage.transfer.mirror.MirrorBuild;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code weir mirror}: the building of the mirror of a store. */
@Command(name = "mirror", mixinStandardHelpOptions = true, description = {
    "Builds the mirror of a store again, running or stopped, and replaces the old one.",
    "A running storage that was started with this mirror finds it within seconds."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the mirror is complete",
            "2:the command line is wrong",
            "3:the store cannot be read, the mirror cannot be written, or there is something else in its place"})
public final class MirrorCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private DataOption data = new DataOption();

    @Parameters(arity = "0..1", paramLabel = "sqlite:FILE", converter = MirrorConverter.class,
            description = "The database (default: fuzzy.db in the folder, which follows the store with the backend "
                    + "sqlite).")
    private @Nullable Path other;

    public MirrorCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Path mirror = other == null ? DataFolder.database(data.folder()) : other;
        try (TransferProgress progress = new TransferProgress(terminal)) {
            TransferReport done = MirrorBuild.run(data.folder(), mirror, InstantSource.system(), progress);
            terminal.out().printf(Locale.ROOT, "%s has %s after %.1f s%n", mirror,
                    Reports.count(done.written().added(), "hash"), done.time().toMillis() / 1e3);
            return ExitCode.OK;
        } catch (StorageException e) {
            throw new FailedException(ExitCode.INPUT, String.valueOf(e.getMessage()));
        }
    }
}
