package dev.weir.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.backend.Backend;
import dev.weir.storage.engine.FolderStore;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogRepair;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir repair}: says what of a damaged update log can be kept, and with {@code --apply} does it. */
@Command(name = "repair", mixinStandardHelpOptions = true, description = {
    "Says what is wrong with the update log of a storage that does not run, what of it would be kept and what dropped.",
    "With --apply it does so. The damaged files are kept beside the new ones."}, exitCodeListHeading = "%nExit status:%n", exitCodeList = {
        "0:there is nothing to repair, or it was repaired",
        "2:the command line is wrong",
        "3:there is something to repair and --apply was not given; or it cannot be repaired"})
final class RepairCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private DataOption data = new DataOption();

    @Option(names = "--apply", description = "Do what is said.")
    private boolean apply;

    RepairCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Path folder = data.folder();
        try {
            // Before the lock, which would make the folder.
            DataFolder.databaseIn(folder);
            return repair(folder);
        } catch (StorageException e) {
            throw new FailedException(ExitCode.INPUT, String.valueOf(e.getMessage()));
        }
    }

    private int repair(Path folder) throws StorageException {
        try (DataFolder locked = DataFolder.open(folder);
                Backend database = FolderStore.of(locked).backend().open()) {
            Path log = locked.file(DataFolder.UPDATES);
            LogRepair.finish(log);
            return Files.isDirectory(log)
                    ? repair(new LogRepair(log, database.storageId(), database.revision()))
                    : nothing();
        }
    }

    private int nothing() {
        terminal.out().println("nothing to repair");
        return ExitCode.OK;
    }

    private int repair(LogRepair repair) throws StorageException {
        LogRepair.Plan plan = repair.plan();
        if (!plan.isNeeded()) {
            return nothing();
        }
        for (LogDamage damage : plan.damages()) {
            terminal.out().println(damage);
        }
        terminal.out().printf(Locale.ROOT, "%s lost: acknowledged, and not to be read any more%n",
                Reports.count(plan.lost(), "update"));
        terminal.out().printf(Locale.ROOT, "%s kept: in the log and not in the database yet%n",
                Reports.count(plan.kept(), "update"));
        terminal.out().printf(Locale.ROOT, "%s dropped: at the end of the log and never acknowledged%n",
                Reports.count(plan.doubtful(), "update"));
        if (!apply) {
            terminal.out().println("nothing was changed; with --apply this is done, and the damaged files are kept");
            return ExitCode.INPUT;
        }
        Path kept = repair.run(LogLimits.DEFAULT, InstantSource.system());
        terminal.out().println("repaired; the damaged files are in " + kept);
        return ExitCode.OK;
    }
}
