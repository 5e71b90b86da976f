package dev.weir.lua;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The text of a script.
 *
 * @param name name in error messages: a file name or a position in a configuration; at most 200 characters are used
 * @param text Lua 5.1 source as LuaJIT reads it, never bytecode
 */
public record LuaSource(String name, String text) {
    /** Maximum length of a script in bytes, well above any handwritten script. */
    public static final int MAXIMUM_SIZE = 1 << 20;

    /** Returns a script from a configuration. */
    public static LuaSource inline(String name, String text) {
        return new LuaSource(name, text);
    }

    /**
     * Reads a script from a UTF-8 file; invalid bytes become U+FFFD.
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

    /** Returns the name in Lua's form; after a leading @, Lua prints the name unchanged. */
    byte[] chunkName() {
        String shown = name.length() > 200 ? name.substring(0, 200) : name;
        return ("@" + shown.replaceAll("[\\x00-\\x1f]", "?") + "\0").getBytes(StandardCharsets.UTF_8);
    }
}
