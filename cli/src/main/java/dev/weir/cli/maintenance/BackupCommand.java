package dev.weir.cli.maintenance;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.StorageException;
import dev.weir.storage.maintenance.Backup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir backup}: a consistent copy of a running or stopped storage. */
@Command(name = "backup", mixinStandardHelpOptions = true, description = {
    "Copies a storage, running or stopped, into a new folder, with everything that was "
            + "acknowledged before the command began. The copy is a complete storage.",
    "Verifies and loads the copy before it gets its name.",
    "To restore it, start weir serve with that folder."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the backup is complete and can be loaded",
            "2:the command line is wrong",
            "3:a file cannot be read or written, or the storage is damaged"})
public final class BackupCommand implements Callable<Integer> {
    private static final long MIB = 1 << 20;

    private final Terminal terminal;

    @Mixin
    private DataOption data = new DataOption();

    @Parameters(paramLabel = "TARGET", description = "Folder of the backup; must be empty or absent.")
    private Path target = Path.of("");

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    public BackupCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Backup backup;
        try {
            backup = Backup.make(data.folder(), target, InstantSource.system());
        } catch (StorageException e) {
            throw new FailedException(ExitCode.INPUT, String.valueOf(e.getMessage()));
        }
        if (json) {
            JsonLines.line(terminal.out(), generator -> {
                generator.writeStringProperty("target", target.toString());
                generator.writeNumberProperty("hashes", backup.hashes());
                generator.writeNumberProperty("revision", backup.revision());
                generator.writeNumberProperty("updatesFromLog", backup.fromLog());
                generator.writeNumberProperty("bytes", backup.bytes());
            });
        } else {
            terminal.out().printf(Locale.ROOT,
                    "%s: %s at revision %d (%s from the log), %.1f MiB, loaded as a test%n",
                    target, Reports.count(backup.hashes(), "hash"), backup.revision(),
                    Reports.count(backup.fromLog(), "update"), (double) backup.bytes() / MIB);
        }
        return ExitCode.OK;
    }
}
