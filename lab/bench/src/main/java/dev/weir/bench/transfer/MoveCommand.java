package dev.weir.bench.transfer;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import dev.weir.bench.peer.Setting;
import dev.weir.bench.peer.WeirProcess;
import dev.weir.bench.peer.Workspace;
import dev.weir.bench.report.Environment;
import dev.weir.bench.report.Table;
import dev.weir.load.population.DumpFile;
import dev.weir.load.population.Population;
import dev.weir.model.Signature;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code move}: imports and exports of a data folder. */
@Command(name = "move", mixinStandardHelpOptions = true, description = {
    "Time of weir import, weir export and weir mirror from the command to its end.",
    "Then the first start of weir serve on a fuzzy.db of Rspamd, and how fast SQLite reads this file."},
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {"0:measured", "2:the command line is wrong", "3:something could not be measured"})
public final class MoveCommand implements Callable<Integer> {
    private static final long SEED = 1;
    private static final String DATA = "data";

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
        Table table = new Table("", "time", "hashes a second");
        try (Workspace workspace = Workspace.open(setting.dir())) {
            out.println(Environment.describe(workspace.folder(), setting.weir()));
            Path folder = workspace.folder();
            Path dump = folder.resolve("hashes.dump");
            Path rspamd = folder.resolve("rspamd.db");
            DumpFile.write(dump, new Population(SEED, hashes), true, Instant.now().getEpochSecond(), _ -> {});
            row(table, "import of a dump", workspace, "import", dump.toString());
            row(table, "export to a dump", workspace, "export", folder.resolve("again.dump").toString(), "--overwrite");
            row(table, "building a mirror", workspace, "mirror", "sqlite:" + folder.resolve("mirror.db"));
            row(table, "export to a file for Rspamd", workspace, "export", rspamd.toString(), "--overwrite");
            workspace.delete(folder.resolve(DATA));
            row(table, "import of a file of Rspamd", workspace, "import", rspamd.toString());
            firstStarts(table, workspace, rspamd);
            double seconds = read(rspamd);
            table.row("reading this file with SQLite alone", seconds(seconds), Table.rate(hashes / seconds));
            out.println(Table.number(hashes) + " hashes with 32 shingles");
            out.println();
            out.println(table);
            out.flush();
        }
        return 0;
    }

    private void row(Table table, String title, Workspace workspace, String... words)
            throws IOException, InterruptedException {
        spec.commandLine().getErr().println("bench: " + title);
        spec.commandLine().getErr().flush();
        double seconds = run(workspace, words);
        table.row(title, seconds(seconds), Table.rate(hashes / seconds));
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.1f s", seconds);
    }

    /** Measures starts on copies of a file, which carry the hashes over, from the command to READY. */
    private void firstStarts(Table table, Workspace workspace, Path rspamd) throws IOException, InterruptedException {
        for (String backend : List.of("sqlite", "store")) {
            spec.commandLine().getErr().println("bench: first start, " + backend);
            spec.commandLine().getErr().flush();
            Path data = Files.createDirectory(workspace.folder().resolve("first-" + backend));
            Files.copy(rspamd, data.resolve("fuzzy.db"));
            long begin = System.nanoTime();
            try (WeirProcess weir = WeirProcess.start(workspace, setting.weir(), data, List.of("--backend", backend),
                    Map.of())) {
                double seconds = (System.nanoTime() - begin) / 1e9;
                table.row("first start on a fuzzy.db of Rspamd, backend " + backend, seconds(seconds),
                        Table.rate(hashes / seconds));
                int status = weir.terminate();
                if (status != 0) {
                    throw new IOException("weir serve ended with " + status + ":\n" + Files.readString(weir.log()));
                }
            }
            workspace.delete(data);
        }
    }

    /** Reads every column of Rspamd's tables in the order of the rows, and returns the seconds that this takes. */
    private double read(Path file) throws IOException {
        long begin = System.nanoTime();
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            long digests = read(statement, "SELECT id, flag, value, time, digest FROM digests", 4);
            long shingles = read(statement, "SELECT digest_id, number, value FROM shingles", 3);
            if (digests != hashes || shingles != hashes * Signature.SLOTS) {
                throw new IOException(file + " has " + digests + " hashes and " + shingles + " shingles");
            }
        } catch (SQLException e) {
            throw new IOException(file + " cannot be read", e);
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    /** Reads so many numbers in each row, and the bytes behind them if there is a further column. */
    private static long read(Statement statement, String query, int numbers) throws SQLException {
        long count = 0;
        try (ResultSet row = statement.executeQuery(query)) {
            boolean bytes = row.getMetaData().getColumnCount() > numbers;
            while (row.next()) {
                for (int i = 1; i <= numbers; i++) {
                    row.getLong(i);
                }
                if (bytes) {
                    row.getBytes(numbers + 1);
                }
                count++;
            }
        }
        return count;
    }

    private double run(Workspace workspace, String... words) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(setting.weir());
        command.addAll(List.of(words));
        command.addAll(List.of("--data", workspace.folder().resolve(DATA).toString()));
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
