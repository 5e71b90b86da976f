package dev.weir.cli.client;

import java.time.Duration;
import java.util.Optional;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Failures;
import dev.weir.hash.HashRule;
import dev.weir.hash.MailHasher;
import dev.weir.net.HostPort;
import dev.weir.scan.StorageClient;
import dev.weir.scan.UpstreamException;
import dev.weir.scan.score.KindOptions;
import dev.weir.scan.upstream.UpstreamList;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that select a storage and its protocol settings. */
public final class StorageOptions {
    /** The place of a storage on this machine with the usual port. */
    public static final HostPort USUAL = new HostPort("127.0.0.1", UpstreamList.DEFAULT_PORT);

    @Option(names = {"-s",
        "--server"}, paramLabel = "HOST[:PORT]", converter = AddressConverter.class,
            description = "The storage (default: 127.0.0.1:11335).")
    private HostPort server = USUAL;

    @Option(names = "--encryption-key", paramLabel = "PUBKEY", converter = KeyConverter.class,
            description = "Encrypt requests and replies with this public key of the storage (52 characters).")
    private @Nullable PublicKey encryptionKey;

    @Option(names = "--timeout", paramLabel = "SECONDS", converter = SecondsConverter.class,
            description = "Seconds to wait for a reply in each attempt (default: 1).")
    private Duration timeout = Duration.ofSeconds(1);

    @Option(names = "--retransmits", paramLabel = "N", description = "Number of retries without a reply (default: 3).")
    private int retransmits = 3;

    /** The work of a command over an open client. */
    @FunctionalInterface
    interface Work {
        /** Does the work and returns the exit status. */
        int run(StorageClient client) throws UpstreamException;
    }

    /** Opens a client of the storage and runs the work. A failed storage ends the command. */
    int use(Work work) {
        try (StorageClient client = StorageClient.open(server, key(), timeout, retransmits())) {
            return work.run(client);
        } catch (UpstreamException e) {
            throw Failures.of(e);
        }
    }

    /** Opens a client that checks and learns mails at the storage. */
    OneStorage open(MailHasher hasher, HashRule hashing, KindOptions kinds) {
        return OneStorage.open(server, key(), timeout, retransmits(), hasher, hashing, kinds);
    }

    private Optional<PublicKey> key() {
        return Optional.ofNullable(encryptionKey);
    }

    private int retransmits() {
        if (retransmits < 0) {
            throw new FailedException(ExitCode.USAGE, "--retransmits must not be negative");
        }
        return retransmits;
    }

    public static final class AddressConverter implements ITypeConverter<HostPort> {
        @Override
        public HostPort convert(String text) {
            try {
                return HostPort.server(text, UpstreamList.DEFAULT_PORT);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    public static final class KeyConverter implements ITypeConverter<PublicKey> {
        @Override
        public PublicKey convert(String text) {
            return PublicKey.parse(text)
                    .orElseThrow(() -> new TypeConversionException(
                            "not a public key: expected 52 characters of ybndrfg8ejkmcpqxot1uwisza345h769"));
        }
    }

    public static final class SecondsConverter implements ITypeConverter<Duration> {
        private static final double MAX_SECONDS = 3600;

        @Override
        public Duration convert(String text) {
            double seconds;
            try {
                seconds = Double.parseDouble(text);
            } catch (NumberFormatException e) {
                throw new TypeConversionException("\"" + text + "\" is not a number of seconds");
            }
            if (!(seconds >= 0.001 && seconds <= MAX_SECONDS)) {
                throw new TypeConversionException("\"" + text + "\" is not between 0.001 and 3600 seconds");
            }
            return Duration.ofNanos((long) (seconds * 1e9));
        }
    }
}
