package dev.weir.http.data;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Signature;
import dev.weir.model.Update;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.hits.HitTable;
import dev.weir.storage.hits.WordSamples;
import dev.weir.storage.index.Lookup;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.trail.AuditTrail;
import dev.weir.storage.trail.TrailFilter;
import dev.weir.wire.key.Base32;
import tools.jackson.core.JsonGenerator;

/**
 * The search for hashes by the beginning of a digest, a symbol's option such as {@code 1:4a3146bfc8:0.94:txt} or a
 * Message-ID, with what is stored and who changed it.
 */
final class HashSearch {
    private static final Pattern OPTION = Pattern
            .compile("(\\d+):([0-9a-f]{10})(?::[0-9.]+)?(?::\\w+)?(?::([0-9a-f]{10}))?");
    private static final Pattern PREFIX = Pattern.compile("[0-9a-fA-F]{4,128}");
    private static final int MOST_HASHES = 50;
    private static final int MOST_CHANGES = 20;

    private final StorageServer storage;

    HashSearch(StorageServer storage) {
        this.storage = storage;
    }

    /** Answers a search. */
    HttpReply find(Arguments arguments) throws HttpException {
        String query = arguments.text("q")
                .orElseThrow(() -> new HttpException(400, "q is missing: a digest, a symbol's option or a Message-ID"));
        Set<Digest> digests = digests(query);
        Optional<Similar> similar = similar(query, arguments.text("shingles"));
        similar.ifPresent(match -> digests.add(match.digest()));
        Map<Digest, Deque<LoggedUpdate>> changes = changes(digests);
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeStringProperty("query", query);
            out.writeBooleanProperty("more", digests.size() >= MOST_HASHES);
            similar.ifPresent(match -> {
                out.writeObjectPropertyStart("match");
                out.writeStringProperty("digest", match.digest().hex());
                out.writeNumberProperty("equal_shingles", match.equalSlots());
                out.writeEndObject();
            });
            out.writeArrayPropertyStart("hashes");
            digests.forEach(digest -> {
                out.writeStartObject();
                hash(out, digest, List.copyOf(changes.getOrDefault(digest, new ArrayDeque<>())));
                out.writeEndObject();
            });
            out.writeEndArray();
        }));
    }

    private record Similar(Digest digest, int equalSlots) {}

    /** Returns what a check with a digest and its shingles would find. */
    private Optional<Similar> similar(String query, Optional<String> shingles) throws HttpException {
        if (shingles.isEmpty()) {
            return Optional.empty();
        }
        Optional<Digest> digest = Digest.parse(query);
        if (digest.isEmpty() || !shingles.get().matches("[0-9a-fA-F]{512}")) {
            throw new HttpException(400, "shingles are 32 times 16 hexadecimal digits, with a whole digest in q");
        }
        Lookup lookup = new Lookup();
        digest.get().copyTo(lookup.digest(), 0);
        for (int i = 0; i < Signature.SLOTS; i++) {
            lookup.shingles()[i] = HexFormat.fromHexDigitsToLong(shingles.get(), i * 16, (i + 1) * 16);
        }
        lookup.hasShingles(true);
        if (!storage.hashes().find(lookup, storage.hashes().now())) {
            return Optional.empty();
        }
        long[] words = new long[Digest.WORDS];
        for (int i = 0; i < words.length; i++) {
            words[i] = lookup.match().digestWord(i);
        }
        return Optional.of(new Similar(Digest.ofWords(words, 0), lookup.match().equalSlots()));
    }

    private Set<Digest> digests(String query) throws HttpException {
        Matcher option = OPTION.matcher(query.toLowerCase(Locale.ROOT));
        if (option.matches()) {
            return withPrefix(option.group(2));
        }
        if (PREFIX.matcher(query).matches()) {
            return withPrefix(Arguments.prefix(query));
        }
        Set<Digest> found = new LinkedHashSet<>();
        read(TrailFilter.ALL.withMail(query), logged -> {
            if (found.size() < MOST_HASHES && !(logged.update() instanceof Update.Refresh)) {
                found.add(logged.update().digest());
            }
        });
        return found;
    }

    /** Returns stored digests, and those that are only in the audit trail any more. */
    private Set<Digest> withPrefix(String prefix) throws HttpException {
        Set<Digest> found = new LinkedHashSet<>(storage.hashes().withPrefix(prefix, MOST_HASHES));
        if (found.size() == 1 && prefix.length() == 2 * Digest.BYTES) {
            return found;
        }
        read(TrailFilter.ALL.withDigest(prefix), logged -> {
            if (found.size() < MOST_HASHES) {
                found.add(logged.update().digest());
            }
        });
        return found;
    }

    /** Returns the latest changes of some hashes, the last one at the end. Renewals are left out. */
    Map<Digest, Deque<LoggedUpdate>> changes(Set<Digest> digests) throws HttpException {
        Map<Digest, Deque<LoggedUpdate>> changes = new HashMap<>();
        try {
            AuditTrail.read(storage.folder(), digests, (logged, _) -> {
                if (!(logged.update() instanceof Update.Refresh)) {
                    Deque<LoggedUpdate> of = changes.computeIfAbsent(logged.update().digest(),
                            _ -> new ArrayDeque<>());
                    of.add(logged);
                    if (of.size() > MOST_CHANGES) {
                        of.removeFirst();
                    }
                }
            });
        } catch (StorageException e) {
            throw unreadable(e);
        }
        return changes;
    }

    private void read(TrailFilter filter, Consumer<LoggedUpdate> target) throws HttpException {
        try {
            AuditTrail.read(storage.folder(), filter, (logged, _) -> target.accept(logged));
        } catch (StorageException e) {
            throw unreadable(e);
        }
    }

    private static HttpException unreadable(StorageException e) {
        return new HttpException(500, "the audit trail cannot be read: " + e.getMessage());
    }

    /** Writes what is known of a hash as members of an open object. */
    void hash(JsonGenerator out, Digest digest, List<LoggedUpdate> changes) {
        out.writeStringProperty("digest", digest.hex());
        List<FlagValue> flags = storage.find(digest);
        out.writeBooleanProperty("stored", !flags.isEmpty());
        out.writeBooleanProperty("shingles", storage.hashes().index().signature(digest) != null);
        long[] words = new long[Digest.WORDS];
        digest.copyTo(words, 0);
        out.writeBooleanProperty("skipped", storage.gate().rules().skipped(words));
        out.writeArrayPropertyStart("flags");
        for (FlagValue flag : flags) {
            out.writeStartObject();
            out.writeNumberProperty("flag", flag.flag());
            out.writeNumberProperty("value", flag.value());
            out.writeNumberProperty("changed", flag.time() * 1000);
            out.writeEndObject();
        }
        out.writeEndArray();
        Optional<HitTable.Hits> hits = storage.hits().of(digest, storage.hashes().now());
        storage.samples().of(digest).ifPresent(sample -> sample(out, sample));
        out.writeNumberProperty("hits_hour", hits.map(HitTable.Hits::hour).orElse(0L));
        out.writeNumberProperty("hits_day", hits.map(HitTable.Hits::day).orElse(0L));
        out.writeArrayPropertyStart("changes");
        for (LoggedUpdate change : new ArrayList<>(changes).reversed()) {
            out.writeStartObject();
            change(out, change);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** Writes the first words of a mail as a member. */
    static void sample(JsonGenerator out, WordSamples.Sample sample) {
        out.writeObjectPropertyStart("sample");
        out.writeStringProperty("subject", sample.subject());
        out.writeStringProperty("words", sample.words());
        out.writeNumberProperty("time", sample.millis());
        out.writeEndObject();
    }

    private static void change(JsonGenerator out, LoggedUpdate logged) {
        out.writeNumberProperty("revision", logged.revision());
        out.writeNumberProperty("time", logged.millis());
        out.writeStringProperty("from",
                logged.origin().address() == null ? "storage" : logged.origin().address().getHostAddress());
        byte[] key = logged.origin().key();
        if (key != null) {
            out.writeStringProperty("key", Base32.encode(key, 0, Long.BYTES));
        }
        UpdateSubmitter submission = logged.origin().submission();
        if (submission != null) {
            out.writeStringProperty("client", submission.client());
            out.writeStringProperty("credential", submission.credential());
            out.writeStringProperty("user", submission.user());
            out.writeStringProperty("message_id", submission.messageId());
        }
        switch (logged.update()) {
            case Update.Write write -> {
                out.writeStringProperty("change", "add");
                out.writeNumberProperty("flag", write.flag());
                out.writeNumberProperty("weight", write.weight());
            }
            case Update.Delete delete -> {
                out.writeStringProperty("change", "delete");
                out.writeNumberProperty("flag", delete.flag());
            }
            case Update.DeleteAll _ -> out.writeStringProperty("change", "delete all");
            case Update.Expire expire -> {
                out.writeStringProperty("change", "expire");
                out.writeNumberProperty("flag", expire.flag());
            }
            case Update.Refresh _ -> out.writeStringProperty("change", "renew");
        }
    }
}
