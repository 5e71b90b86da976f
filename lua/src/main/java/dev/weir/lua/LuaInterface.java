package dev.weir.lua;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * What a kind of script is given and what it must give back, in Lua: a chunk that is called with the kit of the sandbox
 * ({@code sandbox.lua} lists it) and returns a table of functions. {@code start(chunk)} runs the script; the others are
 * what {@link LuaScript#call} calls.
 *
 * @param name how errors call it
 * @param text trusted source, part of the program
 */
public record LuaInterface(String name, String text) {
    /** Text of an interface from a resource beside {@code owner}. */
    public static LuaInterface resource(Class<?> owner, String file) {
        try (InputStream in = owner.getResourceAsStream(file)) {
            byte[] text = Objects.requireNonNull(in, file + " is missing from the class path").readAllBytes();
            return new LuaInterface(file, new String(text, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
