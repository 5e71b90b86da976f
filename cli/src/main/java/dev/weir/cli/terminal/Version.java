package dev.weir.cli.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import dev.weir.os.Platform;
import picocli.CommandLine.IVersionProvider;

/**
 * The text of {@code weir --version}. The number is in a resource, so it is available in a jar and in a checkout.
 */
public final class Version implements IVersionProvider {
    /** The version of the build files; a test compares the two. */
    private static final String RESOURCE = "/dev/weir/cli/version";

    @Override
    public String[] getVersion() {
        return new String[]{
            "weir " + number(),
            "Java " + Runtime.version() + " on " + Platform.describe()};
    }

    /** Returns the version number alone. */
    public static String number() {
        try (InputStream in = Version.class.getResourceAsStream(RESOURCE)) {
            return new String(Objects.requireNonNull(in, RESOURCE).readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
