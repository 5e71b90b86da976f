package dev.weir.cli.credentials;

import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Terminal;
import dev.weir.http.access.StoredPassword;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir pw}: password hashes for {@code worker "controller"}. */
@Command(name = "pw", mixinStandardHelpOptions = true, description = {
    "Creates or checks a stored password for password and enable_password of worker "
            + "\"controller\", as rspamadm pw does.",
    "Reads the password from the terminal without echo, or from one line of standard input, "
            + "never from an argument, which other users could see.",
    "With --check and without a terminal, the first line is the stored password and the second "
            + "the password."},
        exitCodeListHeading = "%nExit status:%n", exitCodeList = {
            "0:the password is hashed, or it matches",
            "1:the password does not match",
            "2:the command line is wrong",
            "3:the input is missing or not a usable password"})
public final class PasswordCommand implements Callable<Integer> {
    /** Exceeds the length of every stored password and every password. */
    private static final int MAX_LINE = 4096;
    private static final Pattern TERMINAL = Pattern.compile("/dev/(pts/.*|tty.*|console)");

    private final Terminal terminal;

    @Option(names = {"-t",
        "--type"}, paramLabel = "TYPE", description = "Hash function: catena or pbkdf2 (default: catena).")
    private StoredPassword.Type type = StoredPassword.Type.CATENA;

    @Option(names = {"-c", "--check"}, description = "Check a password against a stored password.")
    private boolean check;

    /** Accepted only so that the error message does not print it. */
    @Parameters(hidden = true)
    private List<String> arguments = List.of();

    public PasswordCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        if (!arguments.isEmpty()) {
            throw new FailedException(ExitCode.USAGE,
                    "do not pass a password as an argument, because other users can see it. Type it, or use standard "
                            + "input");
        }
        if (check) {
            return check();
        }
        byte[] password = usable(ask("Password: "));
        if (terminal.interactive() && !Arrays.equals(password, ask("Repeat the password: "))) {
            throw new FailedException(ExitCode.INPUT, "the two passwords differ");
        }
        terminal.out().println(StoredPassword.make(type, password, new SecureRandom()));
        return ExitCode.OK;
    }

    private int check() throws IOException {
        String text = new String(ask("Stored password: "), StandardCharsets.UTF_8).strip();
        StoredPassword stored = StoredPassword.parse(text);
        if (stored.isDamaged()) {
            throw new FailedException(ExitCode.INPUT, "the stored password is empty or a damaged hash");
        }
        if (stored.isPlain()) {
            throw new FailedException(ExitCode.INPUT,
                    "the stored password is not a hash: expected $1$... or $2$..., in quotes for a shell");
        }
        boolean fits = stored.matches(ask("Password: "));
        terminal.out().println(fits ? "password correct" : "password incorrect");
        return fits ? ExitCode.OK : ExitCode.NO_MATCH;
    }

    private static byte[] usable(byte[] password) {
        if (password.length == 0) {
            throw new FailedException(ExitCode.INPUT, "the password is empty");
        }
        if (password.length > StoredPassword.MAX_LENGTH) {
            throw new FailedException(ExitCode.INPUT,
                    "the password has more than " + StoredPassword.MAX_LENGTH + " bytes");
        }
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(password)).toString();
        } catch (CharacterCodingException e) {
            throw new FailedException(ExitCode.INPUT, "the password is not in UTF-8");
        }
        if (!text.equals(text.strip()) || text.chars().anyMatch(Character::isISOControl)) {
            throw new FailedException(ExitCode.INPUT,
                    "the password begins or ends with a blank or has a control character, so no client can send it in "
                            + "a header");
        }
        if (text.equals("q1") || text.equals("q2")) {
            throw new FailedException(ExitCode.INPUT,
                    "Rspamd once shipped this password, so it is never accepted");
        }
        return password;
    }

    private byte[] ask(String prompt) throws IOException {
        Console console = terminal.interactive() ? System.console() : null;
        if (console == null) {
            if (isTyped()) {
                throw new FailedException(ExitCode.USAGE,
                        "standard output is not a terminal, so the password would not be"
                                + " hidden. Run this without > and |, or pass the password on standard input");
            }
            return line();
        }
        char[] typed = console.readPassword("%s", prompt);
        if (typed == null) {
            throw new FailedException(ExitCode.INPUT, "there is no input");
        }
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(CharBuffer.wrap(typed));
        Arrays.fill(typed, ' ');
        byte[] password = new byte[bytes.remaining()];
        bytes.get(password);
        return password;
    }

    /** Returns whether standard input is a terminal, which would echo the password. */
    private boolean isTyped() {
        try {
            return terminal.in().equals(System.in)
                    && TERMINAL.matcher(Files.readSymbolicLink(Path.of("/proc/self/fd/0")).toString()).matches();
        } catch (IOException e) {
            return false;
        }
    }

    /** Reads one line of standard input, byte by byte so as not to consume the next line. */
    private byte[] line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = terminal.in().read();
        if (next < 0) {
            throw new FailedException(ExitCode.INPUT, "there is no input");
        }
        for (; next >= 0 && next != '\n'; next = terminal.in().read()) {
            if (line.size() == MAX_LINE) {
                throw new FailedException(ExitCode.INPUT, "a line is longer than " + MAX_LINE + " bytes");
            }
            line.write(next);
        }
        byte[] bytes = line.toByteArray();
        return bytes.length > 0 && bytes[bytes.length - 1] == '\r' ? Arrays.copyOf(bytes, bytes.length - 1) : bytes;
    }
}
