package dev.weir.http.data;

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.model.Digest;
import dev.weir.storage.StorageException;
import dev.weir.storage.UpdateSubmitter;
import dev.weir.storage.hits.HitTable;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.undo.UndoPlan;
import dev.weir.storage.undo.UndoRequest;
import dev.weir.storage.undo.UndoResult;
import dev.weir.storage.undo.UndoStep;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JsonGenerator;

/** The rehearsal and the execution of an undo. */
final class UndoAdmin {
    private static final Logger LOG = LoggerFactory.getLogger(UndoAdmin.class);
    private static final int SHOWN = 10;

    private final StorageServer storage;

    UndoAdmin(StorageServer storage) {
        this.storage = storage;
    }

    private UndoRequest request(Arguments arguments) throws HttpException {
        try {
            return new UndoRequest(arguments.filter(), arguments.digests("digests"));
        } catch (IllegalArgumentException e) {
            throw new HttpException(400, String.valueOf(e.getMessage()));
        }
    }

    /** Answers with the consequences and changes nothing. */
    HttpReply rehearse(Arguments arguments) throws HttpException {
        try {
            UndoPlan plan = storage.undo().rehearse(request(arguments));
            return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
                out.writeBooleanProperty("done", false);
                plan(out, plan);
            }));
        } catch (StorageException e) {
            throw new HttpException(422, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HttpException(503, "the server stops");
        }
    }

    /**
     * Carries out an undo.
     *
     * @param by the operator
     */
    HttpReply apply(Arguments arguments, UpdateSubmitter by) throws HttpException, InterruptedException {
        UndoRequest request = request(arguments);
        if (request.digests().isEmpty() && request.filter().upTo() == Long.MAX_VALUE) {
            throw new HttpException(400, "revision is missing: rehearse first, and send the revision of the rehearsal");
        }
        UndoResult result;
        try {
            result = storage.undo().apply(request, by);
        } catch (StorageException e) {
            throw new HttpException(422, String.valueOf(e.getMessage()));
        }
        LOG.info("undo {} by {} ({}{}): {} flags of {} hashes, {} updates stored, {} failed",
                result.id().isEmpty() ? "of nothing" : result.id(), by.client(), by.credential(),
                by.user().isEmpty() ? "" : ", user " + by.user(), result.plan().steps().size(),
                result.plan().hashes(), result.stored(), result.failed());
        byte[] json = Json.object(out -> {
            out.writeBooleanProperty("done", result.failed() == 0);
            if (result.failed() > 0) {
                out.writeStringProperty("error",
                        result.failed() + " updates could not be stored: look at the health, then undo again");
            }
            out.writeStringProperty("id", result.id());
            out.writeNumberProperty("stored", result.stored());
            out.writeNumberProperty("failed", result.failed());
            plan(out, result.plan());
        });
        return result.failed() == 0
                ? HttpReply.ok(HttpReply.JSON, json)
                : new HttpReply(503, "Not everything could be stored", HttpReply.JSON, List.of(), json);
    }

    private void plan(JsonGenerator out, UndoPlan plan) {
        out.writeNumberProperty("revision", plan.revision());
        out.writeNumberProperty("selected", plan.selected());
        out.writeNumberProperty("hashes", plan.hashes());
        out.writeNumberProperty("removed", plan.removed());
        out.writeNumberProperty("lowered", plan.lowered());
        out.writeNumberProperty("raised", plan.raised());
        out.writeNumberProperty("gone", plan.gone());
        long now = storage.hashes().now();
        out.writeArrayPropertyStart("largest");
        for (Shown shown : largest(plan, now)) {
            out.writeStartObject();
            out.writeStringProperty("digest", shown.step().digest().hex());
            out.writeNumberProperty("flag", shown.step().flag());
            out.writeNumberProperty("before", shown.step().before());
            out.writeNumberProperty("after", shown.step().after());
            out.writeBooleanProperty("removed", shown.step().removes());
            out.writeNumberProperty("hits_day", shown.hits());
            out.writeNumberProperty("changes", shown.step().changes().size());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    /** A step with the hits of its hash in the last day. */
    private record Shown(UndoStep step, long hits) {
        static final Comparator<Shown> SMALLEST_FIRST = Comparator.comparingLong(Shown::hits)
                .thenComparingLong(shown -> Math.abs(shown.step().brought()));
    }

    /** Returns the steps with the largest consequences, the largest one first. A plan may have a million steps. */
    private List<Shown> largest(UndoPlan plan, long now) {
        PriorityQueue<Shown> largest = new PriorityQueue<>(SHOWN + 1, Shown.SMALLEST_FIRST);
        for (UndoStep step : plan.steps()) {
            largest.add(new Shown(step, hits(step.digest(), now)));
            if (largest.size() > SHOWN) {
                largest.remove();
            }
        }
        return largest.stream().sorted(Shown.SMALLEST_FIRST.reversed()).toList();
    }

    private long hits(Digest digest, long now) {
        return storage.hits().of(digest, now).map(HitTable.Hits::day).orElse(0L);
    }
}
