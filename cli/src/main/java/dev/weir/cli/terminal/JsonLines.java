package dev.weir.cli.terminal;

import java.io.PrintStream;
import java.io.StringWriter;
import java.util.Locale;
import java.util.function.Consumer;

import dev.weir.model.SafeText;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A writer of JSON objects, one per line. */
public final class JsonLines {
    private static final JsonFactory FACTORY = new JsonFactory();

    private JsonLines() {}

    /** Prints the object whose members the consumer writes, then a line break. */
    public static void line(PrintStream out, Consumer<JsonGenerator> members) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        }
        out.println(escaped(text.toString()));
    }

    /** Escapes what must not reach a terminal. In JSON, such characters are in strings only. */
    private static String escaped(String json) {
        if (SafeText.of(json).equals(json)) {
            return json;
        }
        StringBuilder out = new StringBuilder(json.length() + 32);
        json.codePoints().forEach(point -> {
            if (SafeText.isShown(point)) {
                out.appendCodePoint(point);
            } else {
                for (char c : Character.toChars(point)) {
                    out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                }
            }
        });
        return out.toString();
    }
}
