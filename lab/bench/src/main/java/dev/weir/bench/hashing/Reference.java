package dev.weir.bench.hashing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A reader of the recording of an oracle: one JSON object with an entry per mail. */
public final class Reference {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private Reference() {}

    /** A consumer of mails. */
    @FunctionalInterface
    public interface Taker {
        /** Accepts a mail. */
        void take(ReferenceMail mail) throws IOException;
    }

    /**
     * Reads a recording of any size with one mail in memory at a time.
     *
     * @throws IOException if the file cannot be read or is not a recording
     */
    public static void read(Path file, Taker taker) throws IOException {
        try (JsonParser parser = JSON.createParser(file)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException(file + ": no object of mails");
            }
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String name = parser.currentName();
                parser.nextToken();
                taker.take(mail(name, parser.readValueAsTree()));
            }
        } catch (JacksonException e) {
            throw new IOException(file + ": " + e.getOriginalMessage(), e);
        }
    }

    private static ReferenceMail mail(String name, JsonNode mail) {
        List<ReferenceMail.Hash> hashes = new ArrayList<>();
        for (JsonNode hash : mail.path("cmds")) {
            hashes.add(new ReferenceMail.Hash(hash.path("kind").asString("?"), hash.path("digest").asString(""),
                    strings(hash.path("shingles"))));
        }
        List<ReferenceMail.Part> parts = new ArrayList<>();
        for (JsonNode part : mail.path("parts")) {
            parts.add(part(part));
        }
        return new ReferenceMail(name, hashes, parts, text(mail, "subject"), text(mail, "error"));
    }

    private static ReferenceMail.Part part(JsonNode part) {
        List<String> stems = null;
        if (part.has("words")) {
            stems = new ArrayList<>();
            for (JsonNode word : part.path("words")) {
                String stem = word.path(0).asString("");
                if (!stem.isEmpty()) {
                    stems.add(stem);
                }
            }
        }
        return new ReferenceMail.Part(part.path("ct").asString(""), part.path("kind").asString(""),
                part.path("html").asBoolean(false), part.path("len").asInt(0), part.path("digest").asString(""),
                part.path("lang").asString(""), text(part, "oneline"), part.path("nwords").asInt(-1), stems);
    }

    private static @Nullable String text(JsonNode node, String name) {
        return node.has(name) ? node.path(name).asString("") : null;
    }

    private static List<String> strings(JsonNode array) {
        List<String> strings = new ArrayList<>();
        array.forEach(s -> strings.add(s.asString("")));
        return strings;
    }
}
