package dev.weir.cli.client;

import java.time.Duration;

import dev.weir.cli.terminal.ExitCode;
import dev.weir.cli.terminal.FailedException;
import dev.weir.cli.terminal.Failures;
import dev.weir.scan.ClientOptions;
import dev.weir.scan.StorageAddress;
import dev.weir.scan.StorageClient;
import dev.weir.scan.UpstreamException;
import dev.weir.wire.key.PublicKey;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that select a storage and its protocol settings. */
public final class StorageOptions {
    @Option(names = {"-s",
        "--server"}, paramLabel = "HOST[:PORT]", converter = AddressConverter.class,
            description = "The storage (default: 127.0.0.1:11335).")
    private StorageAddress server = new StorageAddress("127.0.0.1", StorageAddress.DEFAULT_PORT);

    @Option(names = "--encryption-key", paramLabel = "PUBKEY", converter = KeyConverter.class,
            description = "Encrypt requests and replies with this public key of the storage (52 characters).")
    private @Nullable PublicKey encryptionKey;

    @Option(names = "--timeout", paramLabel = "SECONDS", converter = SecondsConverter.class,
            description = "Seconds to wait for a reply in each attempt (default: 1).")
    private Duration timeout = ClientOptions.DEFAULT.timeout();

    @Option(names = "--retransmits", paramLabel = "N", description = "Number of retries without a reply (default: 3).")
    private int retransmits = ClientOptions.DEFAULT.retransmits();

    /** Opens a client of the storage and runs the work. A failed storage ends the command. */
    int use(ClientWork<StorageClient> work) {
        if (retransmits < 0) {
            throw new FailedException(ExitCode.USAGE, "--retransmits must not be negative");
        }
        try (StorageClient client = StorageClient.open(server,
                new ClientOptions(timeout, retransmits, encryptionKey))) {
            return work.run(client);
        } catch (UpstreamException e) {
            throw Failures.of(e);
        }
    }

    public static final class AddressConverter implements ITypeConverter<StorageAddress> {
        @Override
        public StorageAddress convert(String text) {
            try {
                return StorageAddress.parse(text);
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
