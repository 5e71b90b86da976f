package dev.weir.http.control;

import java.io.ByteArrayOutputStream;
import java.util.function.Consumer;

import dev.weir.http.message.HttpReply;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** A builder of command replies: one compact JSON object. */
final class ControlReply {
    private static final JsonFactory FACTORY = new JsonFactory();

    private ControlReply() {}

    /**
     * Returns a reply in the form in which Rspamd reports its workers. Here there is always one.
     *
     * @param members writes the members of the worker after its type
     */
    static HttpReply ofWorker(Consumer<JsonGenerator> members) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = FACTORY.createGenerator(ObjectWriteContext.empty(), bytes)) {
            json.writeStartObject();
            json.writeObjectPropertyStart("workers");
            json.writeObjectPropertyStart(Long.toString(ProcessHandle.current().pid()));
            json.writeStringProperty("type", "fuzzy");
            members.accept(json);
            json.writeEndObject();
            json.writeEndObject();
            json.writeEndObject();
        }
        return HttpReply.ok(HttpReply.JSON, bytes.toByteArray());
    }
}
