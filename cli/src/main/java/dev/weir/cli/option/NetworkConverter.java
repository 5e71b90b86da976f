package dev.weir.cli.option;

import dev.weir.model.Network;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A parser of addresses and networks, such as 192.0.2.0/24. */
public final class NetworkConverter implements ITypeConverter<Network> {
    @Override
    public Network convert(String text) {
        try {
            return Network.of(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(String.valueOf(e.getMessage()));
        }
    }
}
