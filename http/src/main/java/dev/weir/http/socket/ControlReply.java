package dev.weir.http.socket;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * What a command answers.
 *
 * @param status of HTTP
 * @param reason the words behind it
 * @param json one object, compact
 */
public record ControlReply(int status, String reason, String json) {
    private static final JsonFactory FACTORY = new JsonFactory();

    /** The object whose members the consumer writes. */
    public static ControlReply of(Consumer<JsonGenerator> members) {
        return new ControlReply(200, "OK", object(members));
    }

    /**
     * What every worker of Rspamd would say, from the one that there is here.
     *
     * @param members of the worker, behind its type
     */
    public static ControlReply ofWorker(Consumer<JsonGenerator> members) {
        return of(json -> {
            json.writeObjectPropertyStart("workers");
            json.writeObjectPropertyStart(Long.toString(ProcessHandle.current().pid()));
            json.writeStringProperty("type", "fuzzy");
            members.accept(json);
            json.writeEndObject();
            json.writeEndObject();
        });
    }

    /** An error of the client. */
    public static ControlReply error(int status, String sentence) {
        return new ControlReply(status, sentence, object(json -> json.writeStringProperty("error", sentence)));
    }

    private static String object(Consumer<JsonGenerator> members) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
            json.writeStartObject();
            members.accept(json);
            json.writeEndObject();
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
