package dev.weir.bench.transfer;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import dev.weir.bench.peer.Setting;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import dev.weir.bench.report.Table;
import dev.weir.load.population.DumpFile;
import dev.weir.load.population.Population;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code move}: imports and exports with the hashes in SQLite and in a store. */
@Command(name = "move", mixinStandardHelpOptions = true, description = {
    "Time of weir import and weir export from the command to its end:",
    "a folder with its hashes in SQLite beside one with its hashes in a store."},
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:measured", "2:the command line is wrong", "3:something could not be measured"})
public final class MoveCommand implements Callable<Integer> {
    private static final long SEED = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private final Setting setting = new Setting();

    @Option(names = "--hashes", paramLabel = "N", defaultValue = "1000000",
            description = "Number of hashes, each with 32 shingles (default: ${DEFAULT-VALUE}).")
    private long hashes;

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Table table = new Table("", "SQLite", "a second", "store", "a second");
        try (Workspace workspace = Workspace.open(setting.dir())) {
            out.println(Environment.describe(workspace.folder(), setting.weir()));
            Path folder = workspace.folder();
            Path dump = folder.resolve("hashes.dump");
            Path rspamd = folder.resolve("rspamd.db");
            DumpFile.write(dump, new Population(SEED, hashes), true, Instant.now().getEpochSecond(), _ -> {});
            row(table, "import of a dump", workspace, "import", dump.toString(), "--backend");
            row(table, "export to a dump", workspace, "export", folder.resolve("again.dump").toString(), "--overwrite");
            row(table, "export to a file for Rspamd", workspace, "export", rspamd.toString(), "--overwrite");
            for (String backend : List.of("sqlite", "store")) {
                workspace.delete(folder.resolve(backend));
            }
            row(table, "import of a file of Rspamd", workspace, "import", rspamd.toString(), "--backend");
            out.println(Table.number(hashes) + " hashes with 32 shingles");
            out.println();
            out.println(table);
            out.flush();
        }
        return 0;
    }

    private void row(Table table, String title, Workspace workspace, String... words)
            throws IOException, InterruptedException {
        List<String> cells = new ArrayList<>(List.of(title));
        for (String backend : List.of("sqlite", "store")) {
            spec.commandLine().getErr().println("bench: " + title + ", " + backend);
            spec.commandLine().getErr().flush();
            double seconds = run(workspace, backend, words);
            cells.add(String.format(Locale.ROOT, "%.1f s", seconds));
            cells.add(Table.rate(hashes / seconds));
        }
        table.row(cells.toArray(String[]::new));
    }

    /** Runs a command on the folder of a backend. The option without a value gets the name of the backend. */
    private double run(Workspace workspace, String backend, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(setting.weir());
        command.addAll(List.of(words));
        if ("--backend".equals(words[words.length - 1])) {
            command.add(backend);
        }
        command.addAll(List.of("--data", workspace.folder().resolve(backend).toString()));
        Path said = workspace.folder().resolve("said");
        long begin = System.nanoTime();
        Process process = workspace.start(
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()));
        int status = process.waitFor();
        double seconds = (System.nanoTime() - begin) / 1e9;
        workspace.kill(process);
        if (status != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + status + ":\n" + Files.readString(said));
        }
        return seconds;
    }
}
