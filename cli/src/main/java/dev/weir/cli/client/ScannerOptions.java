package dev.weir.cli.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.model.failure.Reason;
import dev.weir.os.Certificates;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The options that let a command ask a Weir over HTTP, which has its own rules, instead of a storage. */
public final class ScannerOptions {
    /** The environment variable with the password. The command line of a process is visible to others. */
    static final String PASSWORD_VARIABLE = "WEIR_PASSWORD";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command = CommandSpec.create();

    @Option(names = "--http", paramLabel = "URL", converter = UrlConverter.class,
            description = "Ask a Weir over HTTP, by its rules: https://HOST:PORT, or http://HOST:PORT.")
    private @Nullable URI url;

    @Option(names = "--ca", paramLabel = "FILE",
            description = "With --http: trust the authorities of this file (PEM) instead of those of the system.")
    private @Nullable Path authorities;

    @Option(names = "--password-file", paramLabel = "FILE",
            description = "With --http: the first line is the password (default: the variable " + PASSWORD_VARIABLE
                    + ").")
    private @Nullable Path passwordFile;

    /** Returns whether a Weir over HTTP is the target. */
    public boolean isGiven() {
        return url != null;
    }

    /**
     * Refuses options without effect: with {@code --http} those that the rules of the other Weir replace, without it
     * the others of this class.
     *
     * @param own the class of the command, whose own options it always has
     */
    public void refuseUseless(Class<?> own) {
        List<String> useless = command.commandLine().getParseResult().matchedOptions().stream()
                .filter(option -> option.userObject() instanceof Field field
                        && isUseless(field.getDeclaringClass(), own))
                .map(OptionSpec::longestName).toList();
        if (!useless.isEmpty()) {
            throw new FailedException(ExitCode.USAGE, isGiven()
                    ? "with --http, the rules of the other Weir name storages and hashes; leave out "
                            + String.join(", ", useless)
                    : String.join(" and ", useless) + " must come with --http");
        }
    }

    private boolean isUseless(Class<?> owner, Class<?> own) {
        return isGiven() ? owner != ScannerOptions.class && owner != own : owner == ScannerOptions.class;
    }

    /** Opens a client without sending anything. */
    public RemoteScanner open() {
        URI address = url;
        if (address == null) {
            throw new IllegalStateException("there is no address");
        }
        try {
            return new RemoteScanner(address, authorities == null
                    ? Certificates.trustedBySystem(System.getenv())
                    : Certificates.trustedBy(authorities), password(address));
        } catch (IOException e) {
            throw new FailedException(ExitCode.INPUT, Reason.of(e));
        }
    }

    private Optional<String> password(URI address) {
        Optional<String> password = passwordFile == null
                ? Optional.ofNullable(System.getenv(PASSWORD_VARIABLE)).filter(text -> !text.isEmpty())
                : Optional.of(firstLine(passwordFile));
        if (password.isPresent()) {
            // The client would send another character instead, and print the password in its complaint of a third.
            if (password.get().isEmpty() || !password.get().chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
                throw new FailedException(ExitCode.INPUT, passwordFile == null
                        ? PASSWORD_VARIABLE + ": expected a password of printable ASCII characters"
                        : passwordFile + ": expected a password of printable ASCII characters in the first line");
            }
            if (address.getScheme().equals("http") && !isThisMachine(address.getHost())) {
                throw new FailedException(ExitCode.USAGE, (passwordFile == null ? PASSWORD_VARIABLE : "--password-file")
                        + ": a password goes to another machine by https:// only");
            }
        }
        return password;
    }

    private static String firstLine(Path file) {
        try (BufferedReader reader = Files.newBufferedReader(file)) {
            String line = reader.readLine();
            return line == null ? "" : line;
        } catch (IOException e) {
            throw new FailedException(ExitCode.INPUT, file + ": " + Reason.without(e));
        }
    }

    private static boolean isThisMachine(String host) {
        try {
            return InetAddress.getByName(host).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new FailedException(ExitCode.NO_ANSWER, "the host " + host + " is not known");
        }
    }

    public static final class UrlConverter implements ITypeConverter<URI> {
        @Override
        public URI convert(String text) {
            try {
                URI url = new URI(text);
                boolean known = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
                if (known && url.getHost() != null && url.getPort() != 0 && url.getPort() <= 65_535
                        && url.getRawUserInfo() == null && url.getRawQuery() == null
                        && url.getRawFragment() == null) {
                    return url;
                }
            } catch (URISyntaxException e) {
                // The message below has no part of the text, in which a password may be.
            }
            throw new TypeConversionException("expected https://HOST:PORT or http://HOST:PORT; a password goes into "
                    + "--password-file or " + PASSWORD_VARIABLE);
        }
    }
}
