package dev.weir.lua;

import java.nio.charset.StandardCharsets;

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
