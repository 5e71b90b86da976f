package dev.weir.lua;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * The Lua side of one kind of script: a chunk that receives the kit of the sandbox ({@code sandbox.lua} lists it) and
 * returns a table of functions. {@code start(chunk)} runs the script; {@link LuaScript#call} calls the others.
 *
 * @param name name in error messages
 * @param text trusted source, part of the program
 */
public record LuaInterface(String name, String text) {
    /** Reads an interface from a resource in the package of {@code owner}. */
    public static LuaInterface resource(Class<?> owner, String file) {
        try (InputStream in = owner.getResourceAsStream(file)) {
            byte[] text = Objects.requireNonNull(in, file + " is missing from the class path").readAllBytes();
            return new LuaInterface(file, new String(text, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
