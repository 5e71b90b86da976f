package dev.weir.http.data;

import java.time.Duration;
import java.util.List;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Update;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.admin.Campaigns;
import dev.weir.storage.admin.HashSearch;
import dev.weir.storage.admin.RefusedException;
import dev.weir.storage.hits.HitTable;
import dev.weir.storage.hits.WordSamples;
import dev.weir.storage.log.LoggedUpdate;
import dev.weir.storage.server.StorageServer;
import dev.weir.wire.key.Base32;
import tools.jackson.core.JsonGenerator;

/** The requests for hashes: a search, and the families that match most. */
public final class HashEndpoints {
    private static final Duration SHARED = Duration.ofSeconds(5);
    private static final int MOST_MEMBERS = 20;

    private final StorageServer storage;
    private final HashSearch search;
    private final Campaigns campaigns;
    /** An answer reads the whole audit trail. */
    private final RecentAnswers recent = new RecentAnswers(SHARED, System::nanoTime);

    /** Creates the requests about a storage. */
    public HashEndpoints(StorageServer storage) {
        this.storage = storage;
        this.search = new HashSearch(storage);
        this.campaigns = new Campaigns(storage);
    }

    /** Returns hashes with their flags and changes. Arguments: {@code q}, {@code shingles}. */
    public HttpReply find(Arguments arguments) throws HttpException, RefusedException {
        String query = arguments.text("q")
                .orElseThrow(() -> new HttpException(400, "q is missing: a digest, a symbol's option or a Message-ID"));
        HashSearch.Found found = search.find(query, arguments.text("shingles"));
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeStringProperty("query", query);
            out.writeBooleanProperty("more", found.more());
            found.match().ifPresent(match -> Json.object(out, "match", () -> {
                out.writeStringProperty("digest", match.digest().hex());
                out.writeNumberProperty("equal_shingles", match.equalSlots());
            }));
            Json.objects(out, "hashes", found.hashes(), hash -> hash(out, hash));
        }));
    }

    /** Writes what is known of a hash as members of an open object. */
    static void hash(JsonGenerator out, HashSearch.KnownHash hash) {
        out.writeStringProperty("digest", hash.digest().hex());
        out.writeBooleanProperty("stored", !hash.flags().isEmpty());
        out.writeBooleanProperty("shingles", hash.shingles());
        out.writeBooleanProperty("skipped", hash.skipped());
        Json.objects(out, "flags", hash.flags(), flag -> {
            out.writeNumberProperty("flag", flag.flag());
            out.writeNumberProperty("value", flag.value());
            out.writeNumberProperty("changed", flag.time() * 1000);
        });
        hash.sample().ifPresent(sample -> sample(out, sample));
        out.writeNumberProperty("hits_hour", hash.hits().map(HitTable.Hits::hour).orElse(0L));
        out.writeNumberProperty("hits_day", hash.hits().map(HitTable.Hits::day).orElse(0L));
        Json.objects(out, "changes", hash.changes(), change -> change(out, change));
    }

    /** Writes the first words of a mail as a member of an open object. */
    static void sample(JsonGenerator out, WordSamples.Sample sample) {
        Json.object(out, "sample", () -> {
            out.writeStringProperty("subject", sample.subject());
            out.writeStringProperty("words", sample.words());
            out.writeNumberProperty("time", sample.millis());
        });
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

    /**
     * Returns the families of hashes that match most, in the last hour or, with {@code by=day}, in the last day.
     * Arguments: {@code by}, {@code most}.
     */
    public HttpReply campaigns(Arguments arguments) throws HttpException, RefusedException {
        return HttpReply.ok(HttpReply.JSON, families(byDay(arguments), most(arguments)));
    }

    /** Returns the same for a page, of which many may be open: the answer may be some seconds old. */
    HttpReply recentCampaigns(Arguments arguments) throws HttpException, RefusedException {
        boolean byDay = byDay(arguments);
        int most = most(arguments);
        return HttpReply.ok(HttpReply.JSON, recent.get(most + (byDay ? " by day" : " by hour"),
                () -> families(byDay, most)));
    }

    private static boolean byDay(Arguments arguments) throws HttpException {
        return arguments.text("by").orElse("hour").equals("day");
    }

    private static int most(Arguments arguments) throws HttpException {
        return (int) (long) arguments.number("most", 1, Campaigns.MOST_FAMILIES).orElse(25L);
    }

    private byte[] families(boolean byDay, int most) throws RefusedException {
        long now = storage.hashes().now();
        List<Campaigns.Campaign> top = campaigns.top(byDay, most, now);
        return Json.object(out -> {
            out.writeNumberProperty("time", now);
            out.writeStringProperty("by", byDay ? "day" : "hour");
            Json.objects(out, "families", top, campaign -> family(out, campaign, byDay));
        });
    }

    private static void family(JsonGenerator out, Campaigns.Campaign campaign, boolean byDay) {
        List<HitTable.Hits> members = campaign.family().members();
        out.writeStringProperty("digest", campaign.family().leader().hex());
        out.writeNumberProperty("hour", campaign.family().hour());
        out.writeNumberProperty("day", campaign.family().day());
        out.writeNumberProperty("members", members.size());
        out.writeNumberProperty("first", members.stream().mapToLong(HitTable.Hits::firstMillis).min().orElse(0));
        out.writeNumberProperty("last", members.stream().mapToLong(HitTable.Hits::lastMillis).max().orElse(0));
        Json.items(out, "curve", campaign.family().curve(byDay), out::writeNumber);
        Json.objects(out, "flags", campaign.flags(), flag -> {
            out.writeNumberProperty("flag", flag.flag());
            out.writeNumberProperty("value", flag.value());
        });
        campaign.sample().ifPresent(sample -> sample(out, sample));
        Json.strings(out, "digests", members.stream().limit(MOST_MEMBERS).map(hits -> hits.digest().hex()).toList());
        Json.strings(out, "learners", campaign.learners());
    }
}
