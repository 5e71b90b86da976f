package dev.weir.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import dev.weir.testkit.WeirProgram;

import static org.assertj.core.api.Assertions.assertThat;

/** What one program printed, and its exit status. */
record ProgramRun(int status, String out, String err) {
    /** Runs a program, which must leave nothing in the folder. */
    static ProgramRun of(Path scratch, String... words) throws IOException {
        ProgramRun run = keeping(scratch, words);
        try (Stream<Path> left = Files.list(scratch)) {
            assertThat(left).as("left behind").isEmpty();
        }
        return run;
    }

    /** Runs a program that leaves prepared data and results in the folder. */
    static ProgramRun keeping(Path scratch, String... words) throws IOException {
        System.setProperty("weir.bench.launcher", WeirProgram.launcher().toString());
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = Main.run(new PrintWriter(out), new PrintWriter(err),
                Stream.concat(Stream.of(words), Stream.of("--dir", scratch.toString())).toArray(String[]::new));
        return new ProgramRun(status, out.toString(), err.toString());
    }

    /** Returns the cells of the row that begins with these. */
    String[] row(String... first) {
        return out.lines()
                .filter(line -> line.startsWith("|"))
                .map(line -> line.substring(1).strip().split("\\s*\\|\\s*", -1))
                .filter(cells -> cells.length > first.length
                        && Stream.iterate(0, i -> i < first.length, i -> i + 1)
                                .allMatch(i -> cells[i].equals(first[i])))
                .reduce((_, last) -> last)
                .orElseThrow(() -> new AssertionError("no such row in\n" + this));
    }
}
