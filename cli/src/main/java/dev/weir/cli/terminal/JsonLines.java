package dev.weir.cli.terminal;

import java.io.PrintStream;
import java.io.StringWriter;
import java.util.function.Consumer;

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
        out.println(text);
    }
}
