package dev.weir.lua;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A value from a script: a result, or an argument of a host function. */
public sealed interface LuaValue {
    /** {@code true} or {@code false}. */
    record Bool(boolean value) implements LuaValue {}

    /** A number; Lua has doubles only. */
    record Num(double value) implements LuaValue {}

    /** A value without a Java equivalent: nil, tables, functions. */
    record Other(String type) implements LuaValue {
        /** {@code nil}. */
        public static final LuaValue NIL = new Other("nil");
    }

    /** A string: bytes of any kind. */
    final class Str implements LuaValue {
        private final byte[] bytes;

        Str(byte[] bytes) {
            this.bytes = bytes;
        }

        public byte[] bytes() {
            return bytes.clone();
        }

        /** Returns the bytes as UTF-8 text. */
        public String text() {
            return new String(bytes, StandardCharsets.UTF_8);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Str string && Arrays.equals(bytes, string.bytes);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(bytes);
        }

        @Override
        public String toString() {
            return "Str[" + text() + "]";
        }
    }

    /** Returns Lua's name of the type: nil, boolean, number, string, table, function, userdata, thread. */
    default String typeName() {
        return switch (this) {
            case Bool ignored -> "boolean";
            case Num ignored -> "number";
            case Str ignored -> "string";
            case Other other -> other.type();
        };
    }

    /** Returns whether the value is {@code true}; no other value counts as true here. */
    default boolean isTrue() {
        return this instanceof Bool bool && bool.value();
    }

    default boolean isNil() {
        return equals(Other.NIL);
    }
}
