package dev.weir.cli.maintenance;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Failures;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.checkpoint.CheckpointRepair;
import dev.weir.storage.database.HashDatabase;
import dev.weir.storage.database.sqlite.SqliteFile;
import dev.weir.storage.engine.LogEndFile;
import dev.weir.storage.log.LogClaim;
import dev.weir.storage.log.LogDamage;
import dev.weir.storage.log.LogLimits;
import dev.weir.storage.log.LogRepair;
import dev.weir.storage.redis.SharedClaim;
import dev.weir.storage.state.StateFiles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir repair}: a report on a damaged update log, and with {@code --apply} its repair. */
@Command(name = "repair", mixinStandardHelpOptions = true, description = {
    "Reports damage in the update log and the store of a stopped storage, and what a repair would drop.",
    "With --apply, repairs it and keeps the damaged files beside the new ones."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:nothing to repair, or repaired",
            "2:the command line is wrong",
            "3:there is damage and no --apply, or the damage cannot be repaired",
            "6:another weir is using the data folder"})
public final class RepairCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private DataOption data = new DataOption();

    @Option(names = "--apply", description = "Apply the repair; without this option, only report.")
    private boolean apply;

    public RepairCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Path folder = data.folder();
        try {
            // Check this before taking the lock, which would create the folder.
            DataFolder.requireStorage(folder);
            return DataFolder.hasStore(folder) ? repairStore(folder) : repair(folder);
        } catch (StorageException e) {
            throw Failures.of(e, ExitCode.INPUT);
        }
    }

    private int repair(Path folder) throws StorageException {
        try (DataFolder locked = DataFolder.open(folder);
                HashDatabase database = new SqliteFile(locked.database()).open()) {
            Path log = locked.file(DataFolder.UPDATES);
            LogRepair.finish(log);
            return Files.isDirectory(log)
                    ? repair(new LogRepair(log, database.storageId(), database.revision()), "database")
                    : nothing();
        }
    }

    private int repairStore(Path folder) throws StorageException {
        try (DataFolder locked = DataFolder.openStore(folder)) {
            CheckpointRepair store = CheckpointRepair.of(locked.folder(DataFolder.STORE));
            LogRepair.finish(locked.file(DataFolder.UPDATES));
            boolean damaged = store.isNeeded();
            if (damaged) {
                store.damages().forEach(terminal.out()::println);
                terminal.out().printf(Locale.ROOT, "%s lost from the store%n", Reports.count(store.lost(), "hash"));
                if (apply) {
                    Path kept = store.run();
                    terminal.out().println("repaired the store; the damaged image is " + kept);
                }
            }
            OptionalLong redisHas = SharedClaim.reflected(new StateFiles(folder, InstantSource.system()));
            // A log whose folder is gone may have had updates.
            LogRepair repair = LogRepair.ofStore(locked.folder(DataFolder.UPDATES), store.storageId(),
                    store.revision(), redisHas.orElse(LogClaim.NOTHING),
                    LogEndFile.of(folder, store.storageId()));
            if (repair.plan().isNeeded()) {
                return repair(repair, redisHas.isPresent() ? "store, or not in the shared Redis," : "store");
            }
            if (!damaged) {
                return nothing();
            }
            return apply ? ExitCode.OK : unchanged();
        }
    }

    private int unchanged() {
        terminal.out().println("nothing was changed; with --apply, repair this and keep the damaged files");
        return ExitCode.INPUT;
    }

    private int nothing() {
        terminal.out().println("nothing to repair");
        return ExitCode.OK;
    }

    private int repair(LogRepair repair, String place) throws StorageException {
        LogRepair.Plan plan = repair.plan();
        if (!plan.isNeeded()) {
            return nothing();
        }
        for (LogDamage damage : plan.damages()) {
            terminal.out().println(damage);
        }
        terminal.out().printf(Locale.ROOT, "%s lost: acknowledged, but no longer readable%n",
                Reports.count(plan.lost(), "update"));
        terminal.out().printf(Locale.ROOT, "%s kept: in the log and not in the %s yet%n",
                Reports.count(plan.kept(), "update"), place);
        terminal.out().printf(Locale.ROOT, "%s dropped: at the end of the log and never acknowledged%n",
                Reports.count(plan.doubtful(), "update"));
        if (!apply) {
            return unchanged();
        }
        Path kept = repair.run(LogLimits.DEFAULT, InstantSource.system());
        terminal.out().println("repaired; the damaged files are in " + kept);
        return ExitCode.OK;
    }
}
