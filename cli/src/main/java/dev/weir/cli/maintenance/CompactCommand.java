package dev.weir.cli.maintenance;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Failures;
import dev.weir.cli.terminal.JsonLines;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.StartBar;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.transfer.compact.Compaction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir compact}: a store without the space of removed hashes. */
@Command(name = "compact", mixinStandardHelpOptions = true, description = {
    "Writes the store of a stopped storage again and gives the space of removed hashes back to the file system.",
    "A running storage uses this space again for new hashes. Needs room for the new store beside the old one."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the store is compact",
            "2:the command line is wrong",
            "3:the folder has no store, the store is damaged, or the disk has no room",
            "6:another weir is using the data folder"})
public final class CompactCommand implements Callable<Integer> {
    private static final double MIB = 1 << 20;

    private final Terminal terminal;

    @Mixin
    private DataOption data = new DataOption();

    @Option(names = "--json", description = "Print a JSON object.")
    private boolean json;

    public CompactCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Path folder = data.folder();
        Compaction done;
        try (StartBar bar = new StartBar(terminal)) {
            // Check this before taking the lock, which would create the folder.
            DataFolder.requireStorage(folder);
            if (!DataFolder.hasStore(folder)) {
                throw new FailedException(ExitCode.INPUT, "the hashes of " + folder
                        + " are in a database, and only a store can be compacted");
            }
            done = Compaction.run(folder, InstantSource.system(), bar);
        } catch (StorageException e) {
            throw Failures.of(e, ExitCode.INPUT);
        }
        if (json) {
            JsonLines.line(terminal.out(), generator -> {
                generator.writeNumberProperty("hashes", done.hashes());
                generator.writeNumberProperty("bytesBefore", done.before());
                generator.writeNumberProperty("bytes", done.after());
            });
        } else {
            terminal.out().printf(Locale.ROOT, "the store of %s has %s in %.1f MiB; before, it had %.1f MiB%n",
                    folder, Reports.count(done.hashes(), "hash"), done.after() / MIB, done.before() / MIB);
        }
        return ExitCode.OK;
    }
}
