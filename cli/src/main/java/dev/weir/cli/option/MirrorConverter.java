package dev.weir.cli.option;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A parser of mirrors: {@code sqlite:} and the name of a file. */
public final class MirrorConverter implements ITypeConverter<Path> {
    private static final String SQLITE = "sqlite:";

    @Override
    public Path convert(String text) {
        try {
            if (text.startsWith(SQLITE) && text.length() > SQLITE.length()) {
                return Path.of(text.substring(SQLITE.length()));
            }
        } catch (InvalidPathException e) {
            throw new TypeConversionException("'" + text + "' names no file: " + e.getReason());
        }
        throw new TypeConversionException("'" + text + "' is not a mirror: write sqlite:FILE");
    }
}
