package dev.weir.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.StandardOutput;
import dev.weir.cli.terminal.Terminal;
import dev.weir.cli.terminal.Version;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Tests standard output, the version and the list of commands. */
class StandardOutputTest {
    /** Returns a stream that accepts some bytes and then fails like a closed pipe. */
    private static OutputStream readUpTo(int bytes, ByteArrayOutputStream read) {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                if (read.size() == bytes) {
                    throw new IOException("Broken pipe");
                }
                read.write(b);
            }
        };
    }

    @Test
    void dropsOutputAfterTheReaderCloses() {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        StandardOutput out = StandardOutput.to(readUpTo(10, read));
        Terminal terminal = new Terminal(InputStream.nullInputStream(), out, System.err, false);
        out.print("größe");
        out.flush();
        terminal.endUnlessRead();
        out.print("a line that is too long");
        out.flush();
        assertThat(out.isGone()).isTrue();
        assertThat(out.checkError()).isFalse();
        out.print("more");
        out.flush();
        assertThat(read.toString(StandardCharsets.UTF_8)).startsWith("größe");
        assertThatExceptionOfType(FailedException.class).isThrownBy(terminal::endUnlessRead)
                .satisfies(e -> assertThat(e.exitCode()).isEqualTo(ExitCode.OUTPUT_GONE));
        // An incomplete dump is an error.
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> terminal.whole().write(new byte[3], 0, 3));
    }

    @Test
    void theVersionMatchesTheBuild() throws Exception {
        Matcher version = Pattern.compile("<artifactId>weir</artifactId>\\s*<version>([^<]+)</version>")
                .matcher(Files.readString(Path.of("../pom.xml")));
        assertThat(version.find()).isTrue();
        assertThat(Version.number()).isEqualTo(version.group(1));
        assertThat(Run.weir("--version").out()).startsWith("weir " + version.group(1) + "\n");
    }

    /** The list of commands shows the first line of each description, so this line must be a whole sentence. */
    @Test
    void everyDescriptionBeginsWithASentence() {
        Terminal terminal = new Terminal(InputStream.nullInputStream(), System.out, System.err, false);
        Deque<CommandLine> commands = new ArrayDeque<>();
        commands.add(Main.commandLine(terminal));
        int seen = 0;
        while (!commands.isEmpty()) {
            CommandLine command = commands.remove();
            commands.addAll(command.getSubcommands().values());
            String[] description = command.getCommandSpec().usageMessage().description();
            assertThat(description).as(command.getCommandName()).isNotEmpty();
            assertThat(description[0]).as(command.getCommandName()).endsWith(".");
            seen++;
        }
        assertThat(seen).isGreaterThan(20);
    }
}
