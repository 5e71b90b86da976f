package dev.weir.os;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Pattern;

/** Where standard error of this process goes. Java tells it of standard input and output only. */
public final class StandardError {
    private static final Path LINK = Path.of("/proc/self/fd/2");
    private static final Pattern TERMINAL = Pattern.compile("/dev/(pts/[0-9]+|tty[A-Za-z0-9]*|console)");

    private StandardError() {}

    /** Returns whether standard error is a terminal; empty if the system does not say it. */
    public static Optional<Boolean> isTerminal() {
        try {
            return Optional.of(isTerminal(Files.readSymbolicLink(LINK)));
        } catch (IOException | UnsupportedOperationException e) {
            return Optional.empty();
        }
    }

    static boolean isTerminal(Path file) {
        return TERMINAL.matcher(file.toString()).matches();
    }
}
