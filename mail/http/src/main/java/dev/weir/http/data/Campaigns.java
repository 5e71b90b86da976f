package dev.weir.http.data;

import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Digest;
import dev.weir.model.FlagValue;
import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.hits.HashFamilies;
import dev.weir.storage.hits.HitTable;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.server.StorageServer;
import tools.jackson.core.JsonGenerator;

/** The hashes that match most, grouped to families of near duplicates. */
final class Campaigns {
    private static final Duration SHARED = Duration.ofSeconds(5);
    private static final int COMPARED = 500;
    private static final int MOST_FAMILIES = 100;
    private static final int MOST_MEMBERS = 20;
    private static final int MOST_LEARNERS = 5;

    private final StorageServer storage;
    private final HashSearch search;
    /** An answer reads the whole audit trail. */
    private final RecentAnswers recent = new RecentAnswers(SHARED, System::nanoTime);

    Campaigns(StorageServer storage, HashSearch search) {
        this.storage = storage;
        this.search = search;
    }

    /** Answers with the families of the last hour, or of the last day with {@code by=day}. */
    HttpReply top(Arguments arguments) throws HttpException {
        return HttpReply.ok(HttpReply.JSON, families(byDay(arguments), most(arguments)));
    }

    /** Answers as {@link #top}, with an answer that is up to {@link #SHARED} old. */
    HttpReply recent(Arguments arguments) throws HttpException {
        boolean byDay = byDay(arguments);
        int most = most(arguments);
        return HttpReply.ok(HttpReply.JSON, recent.get(most + (byDay ? " by day" : " by hour"),
                () -> families(byDay, most)));
    }

    private static boolean byDay(Arguments arguments) throws HttpException {
        return arguments.text("by").orElse("hour").equals("day");
    }

    private static int most(Arguments arguments) throws HttpException {
        return (int) (long) arguments.number("most", 1, MOST_FAMILIES).orElse(25L);
    }

    private byte[] families(boolean byDay, int most) throws HttpException {
        long now = storage.hashes().now();
        List<HashFamilies.Family> all = HashFamilies.of(storage.hits().top(COMPARED, byDay, now),
                storage.hashes().index(),
                byDay);
        List<HashFamilies.Family> families = all.subList(0, Math.min(most, all.size()));
        Set<Digest> leaders = new LinkedHashSet<>();
        families.forEach(family -> leaders.add(family.members().getFirst().digest()));
        Map<Digest, ? extends Iterable<LoggedUpdate>> changes = search.changes(leaders);
        return Json.object(out -> {
            out.writeNumberProperty("time", now);
            out.writeStringProperty("by", byDay ? "day" : "hour");
            out.writeArrayPropertyStart("families");
            for (HashFamilies.Family family : families) {
                out.writeStartObject();
                Iterable<LoggedUpdate> of = changes.get(family.members().getFirst().digest());
                family(out, family, of == null ? List.of() : of, byDay);
                out.writeEndObject();
            }
            out.writeEndArray();
        });
    }

    private void family(JsonGenerator out, HashFamilies.Family family, Iterable<LoggedUpdate> changes, boolean byDay) {
        HitTable.Hits leader = family.members().getFirst();
        out.writeStringProperty("digest", leader.digest().hex());
        out.writeNumberProperty("hour", family.hour());
        out.writeNumberProperty("day", family.day());
        out.writeNumberProperty("members", family.members().size());
        out.writeNumberProperty("first",
                family.members().stream().mapToLong(HitTable.Hits::firstMillis).min().orElse(0));
        out.writeNumberProperty("last", family.members().stream().mapToLong(HitTable.Hits::lastMillis).max().orElse(0));
        out.writeArrayPropertyStart("curve");
        int steps = byDay ? leader.hours().size() : leader.minutes().size();
        for (int i = 0; i < steps; i++) {
            int at = i;
            out.writeNumber(family.members().stream()
                    .mapToLong(hits -> (byDay ? hits.hours() : hits.minutes()).get(at)).sum());
        }
        out.writeEndArray();
        out.writeArrayPropertyStart("flags");
        for (FlagValue flag : storage.find(leader.digest())) {
            out.writeStartObject();
            out.writeNumberProperty("flag", flag.flag());
            out.writeNumberProperty("value", flag.value());
            out.writeEndObject();
        }
        out.writeEndArray();
        family.members().stream().map(hits -> storage.samples().of(hits.digest())).flatMap(Optional::stream)
                .findFirst().ifPresent(sample -> HashSearch.sample(out, sample));
        out.writeArrayPropertyStart("digests");
        family.members().stream().limit(MOST_MEMBERS).forEach(hits -> out.writeString(hits.digest().hex()));
        out.writeEndArray();
        Set<String> learners = new LinkedHashSet<>();
        for (LoggedUpdate change : changes) {
            if (change.update() instanceof Update.Write) {
                learners.add(learner(change));
            }
        }
        out.writeArrayPropertyStart("learners");
        learners.stream().limit(MOST_LEARNERS).forEach(out::writeString);
        out.writeEndArray();
    }

    private static String learner(LoggedUpdate change) {
        UpdateSubmitter submission = change.origin().submission();
        if (submission != null) {
            return submission.user().isEmpty() ? submission.client() : submission.user();
        }
        return change.origin().address() == null ? "storage" : change.origin().address().getHostAddress();
    }
}
