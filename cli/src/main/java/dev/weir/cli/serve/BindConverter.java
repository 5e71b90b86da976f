package dev.weir.cli.serve;

import dev.weir.storage.server.Bind;
import dev.weir.storage.settings.BindAddress;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A parser of listen addresses in the syntax of Rspamd's {@code bind_socket}. */
final class BindConverter implements ITypeConverter<Bind> {
    @Override
    public Bind convert(String text) {
        try {
            return BindAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
