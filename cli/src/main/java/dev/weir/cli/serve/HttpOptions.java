package dev.weir.cli.serve;

import java.net.SocketAddress;
import java.util.List;

import dev.weir.http.settings.BindText;
import dev.weir.http.settings.HttpSettings;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The HTTP options of {@code weir serve}. */
final class HttpOptions {
    @Option(names = "--http", paramLabel = "PLACE", converter = PlaceConverter.class,
            description = "Address of the HTTP interface, which is that of Rspamd's controller: HOST:PORT, or the path "
                    + "of a Unix-domain socket; repeatable (default: 127.0.0.1:11334, or the addresses of worker "
                    + "\"controller\" in the configuration).")
    private @Nullable List<SocketAddress> places;

    @Option(names = "--no-http", description = "Disable HTTP.")
    private boolean off;

    boolean isOff() {
        return off;
    }

    /** Returns whether the command line gives addresses. In that case, an address in use is an error. */
    boolean isExplicit() {
        return places != null;
    }

    /** Returns the addresses of the command line, or the default addresses. */
    List<SocketAddress> placesOr(List<SocketAddress> usual) {
        return places == null ? usual : places;
    }

    static final class PlaceConverter implements ITypeConverter<List<SocketAddress>> {
        @Override
        public List<SocketAddress> convert(String text) {
            try {
                // Without TLS, whose certificate is in the configuration.
                return BindText.parse(text, HttpSettings.DEFAULT_PORT);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }
}
