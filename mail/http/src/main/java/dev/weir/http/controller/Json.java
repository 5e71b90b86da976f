package dev.weir.http.controller;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.function.Consumer;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A writer of JSON in the form that Rspamd's clients expect. */
public final class Json {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final int DECIMALS = 6;
    private static final double LARGEST = 1e15;

    private Json() {}

    /** Returns an object whose members the consumer writes. */
    public static byte[] object(Consumer<JsonGenerator> members) {
        return value(json -> {
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        });
    }

    /** Returns an array whose items the consumer writes. */
    public static byte[] array(Consumer<JsonGenerator> items) {
        return value(json -> {
            json.writeStartArray();
            items.accept(json);
            json.writeEndArray();
        });
    }

    private static byte[] value(Consumer<JsonGenerator> writer) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), out)) {
            writer.accept(json);
        }
        return out.toByteArray();
    }

    /** Writes a member that is an object. */
    public static void object(JsonGenerator json, String name, Runnable members) {
        json.writeObjectPropertyStart(name);
        members.run();
        json.writeEndObject();
    }

    /** Writes a member that is an array with an object for each item. */
    public static <T> void objects(JsonGenerator json, String name, Iterable<T> items, Consumer<T> members) {
        items(json, name, items, item -> {
            json.writeStartObject();
            members.accept(item);
            json.writeEndObject();
        });
    }

    /** Writes a member that is an array of texts. */
    public static void strings(JsonGenerator json, String name, Iterable<String> items) {
        items(json, name, items, json::writeString);
    }

    /** Writes a member that is an array. */
    public static <T> void items(JsonGenerator json, String name, Iterable<T> items, Consumer<T> writer) {
        json.writeArrayPropertyStart(name);
        items.forEach(writer);
        json.writeEndArray();
    }

    /** Writes a number with one to six decimals. A value that is not finite becomes null. */
    public static void number(JsonGenerator json, String name, double number) {
        json.writeName(name);
        number(json, number);
    }

    static void number(JsonGenerator json, double number) {
        if (!Double.isFinite(number)) {
            json.writeNull();
        } else if (Math.abs(number) >= LARGEST) {
            json.writeNumber(number);
        } else if (number == Math.rint(number)) {
            json.writeNumber((long) number + ".0");
        } else {
            BigDecimal decimal = BigDecimal.valueOf(number).setScale(DECIMALS, RoundingMode.HALF_EVEN)
                    .stripTrailingZeros();
            json.writeNumber((decimal.scale() < 1 ? decimal.setScale(1) : decimal).toPlainString());
        }
    }
}
