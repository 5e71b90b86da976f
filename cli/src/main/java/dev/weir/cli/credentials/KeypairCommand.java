package dev.weir.cli.credentials;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.concurrent.Callable;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Reports;
import dev.weir.cli.terminal.Terminal;
import dev.weir.os.OwnerOnly;
import dev.weir.wire.key.KeyPair;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir keypair}: a new key pair in the syntax of Rspamd's configuration. */
@Command(name = "keypair", mixinStandardHelpOptions = true, description = {
    "Prints a new key pair for encrypted requests, as rspamadm keypair does.",
    "Keep it in a file that only the storage can read (--output creates one); give the public "
            + "key to clients."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:printed or written",
            "2:the command line is wrong",
            "3:the file exists or cannot be written"})
public final class KeypairCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Option(names = {"-j", "--json"}, description = "Print JSON.")
    private boolean json;

    @Option(names = {"-u", "--ucl"}, description = "Print UCL (the default).")
    private boolean ucl;

    @Option(names = {"-o",
        "--output"}, paramLabel = "FILE",
            description = "Write to a new file with mode 0600, and print only the public key.")
    private @Nullable Path output;

    public KeypairCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        if (json && ucl) {
            throw new FailedException(ExitCode.USAGE, "--json and --ucl exclude each other");
        }
        KeyPair pair = KeyPair.generate(new SecureRandom());
        String text = json ? pair.toJson() : pair.toUcl();
        if (output == null) {
            terminal.out().print(text);
        } else {
            write(output, text);
            terminal.out().println(pair.publicKey().base32());
        }
        return ExitCode.OK;
    }

    private static void write(Path file, String text) {
        try (FileChannel channel = OwnerOnly.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(true);
        } catch (FileAlreadyExistsException e) {
            throw new FailedException(ExitCode.INPUT, file + " exists; choose another name");
        } catch (IOException e) {
            throw new FailedException(ExitCode.INPUT, file + ": cannot be written: " + Reports.reason(e));
        }
    }
}
