package dev.weir.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import dev.weir.cli.terminal.Terminal;

/** One run of {@code weir} inside the test: its exit status and what it printed. */
public record Run(int status, String out, String err) {
    public static Run weir(String... arguments) {
        return weir(InputStream.nullInputStream(), arguments);
    }

    public static Run weirReading(byte[] standardInput, String... arguments) {
        return weir(new ByteArrayInputStream(standardInput), arguments);
    }

    private static Run weir(InputStream in, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream outStream = new PrintStream(out, true, StandardCharsets.UTF_8);
        PrintStream errStream = new PrintStream(err, true, StandardCharsets.UTF_8);
        int status = Main.run(new Terminal(in, outStream, errStream, false), arguments);
        outStream.flush();
        errStream.flush();
        return new Run(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
