package dev.weir.cli.maintenance;

import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.Callable;

import dev.weir.cli.option.DataOption;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.Failures;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.storage.DataFolder;
import dev.weir.storage.StorageException;
import dev.weir.storage.maintenance.Adoption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir adopt}: the take-over of a database that came from another storage. */
@Command(name = "adopt", mixinStandardHelpOptions = true, description = {
    "Takes over a database that SQLite's .restore put into the folder of a stopped storage.",
    "Store and update log of the folder belong to the earlier database: they are set aside, and the next start carries",
    "the database over. Without --apply, only reports which updates the log has and the database lacks."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the database is taken over",
            "2:the command line is wrong",
            "3:no --apply, or database or log cannot be read",
            "6:another weir is using the data folder"})
public final class AdoptCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private DataOption data = new DataOption();

    @Option(names = "--apply", description = "Take the database over; without this option, only report.")
    private boolean apply;

    public AdoptCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Path folder = data.folder();
        try {
            // Check this before taking the lock, which would create the folder.
            DataFolder.requireStorage(folder);
            Adoption adoption = new Adoption(folder);
            Adoption.Plan plan = adoption.plan();
            terminal.out().println("the database of " + folder + " has " + Reports.count(plan.hashes(), "hash"));
            if (plan.store()) {
                terminal.out().println("the store of " + folder + " will not count");
            }
            if (plan.lacking().isEmpty()) {
                terminal.out().println("the update log belongs to another database: none of its updates will count");
            } else if (plan.lacking().getAsLong() > 0) {
                terminal.out().println("the storage had and the database lacks: "
                        + Reports.count(plan.lacking().getAsLong(), "update") + ", which will not count");
            } else if (plan.log() || plan.store()) {
                terminal.out().println("the database has every update that the storage is known to have had");
            }
            if (!apply) {
                terminal.out().println("nothing was changed; with --apply, take the database over");
                return ExitCode.INPUT;
            }
            List<Path> aside = adoption.run(InstantSource.system());
            terminal.out().println("taken over" + (aside.isEmpty() ? "; there was no update log" : ""));
            aside.forEach(old -> terminal.out().println("set aside: " + old));
            return ExitCode.OK;
        } catch (StorageException e) {
            throw Failures.of(e, ExitCode.INPUT);
        }
    }
}
