package dev.weir.lua;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Text of a script.
 *
 * @param name how errors call it: a file name, or where in a configuration it stands; at most 200 characters are used
 * @param text Lua 5.1 source as LuaJIT reads it, never bytecode
 */
public record LuaSource(String name, String text) {
    /** Longest script, in bytes: what a person wrote is far below, and reading it takes a few milliseconds. */
    public static final int MAXIMUM_SIZE = 1 << 20;

    /** A script that stands in a configuration. */
    public static LuaSource inline(String name, String text) {
        return new LuaSource(name, text);
    }

    /**
     * A script in a file of UTF-8 text; bytes that are not UTF-8 become U+FFFD.
     *
     * @throws IOException if the file cannot be read or is longer than {@link #MAXIMUM_SIZE}
     */
    public static LuaSource file(Path file) throws IOException {
        if (Files.size(file) > MAXIMUM_SIZE) {
            throw new IOException(file + ": longer than " + MAXIMUM_SIZE + " bytes");
        }
        return new LuaSource(file.toString(), new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
    }

    byte[] bytes() throws LuaException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAXIMUM_SIZE) {
            throw new LuaException(LuaException.Kind.SYNTAX, name + ": longer than " + MAXIMUM_SIZE + " bytes");
        }
        return bytes;
    }

    /** The name as Lua wants it: a leading @ says that the rest is printed as it is. */
    byte[] chunkName() {
        String shown = name.length() > 200 ? name.substring(0, 200) : name;
        return ("@" + shown.replaceAll("[\\x00-\\x1f]", "?") + "\0").getBytes(StandardCharsets.UTF_8);
    }
}
