package dev.weir.http.data;

import java.util.List;

import dev.weir.http.controller.Json;
import dev.weir.http.message.HttpException;
import dev.weir.http.message.HttpReply;
import dev.weir.storage.admin.RefusedException;
import dev.weir.storage.admin.UndoAdmin;
import dev.weir.storage.server.StorageServer;
import dev.weir.storage.undo.UndoPlan;
import dev.weir.storage.undo.UndoRequest;
import dev.weir.storage.undo.UndoResult;
import dev.weir.storage.undo.UndoStep;
import tools.jackson.core.JsonGenerator;

/**
 * The requests for the rehearsal and the execution of an undo. Arguments: {@code digests}, {@code digest} (its
 * beginning), {@code flag}, {@code from}, {@code user}, {@code mail}, {@code key}, {@code since}, {@code until},
 * {@code after}, {@code revision}.
 */
public final class UndoEndpoints {
    private final UndoAdmin undo;

    /** Creates the requests about a storage. */
    public UndoEndpoints(StorageServer storage) {
        this.undo = new UndoAdmin(storage);
    }

    private static UndoRequest request(Arguments arguments) throws HttpException {
        try {
            return new UndoRequest(arguments.filter(), arguments.digests("digests"));
        } catch (IllegalArgumentException e) {
            throw new HttpException(400, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the consequences. */
    public HttpReply rehearse(Arguments arguments) throws HttpException, RefusedException {
        UndoPlan plan = undo.rehearse(request(arguments));
        return HttpReply.ok(HttpReply.JSON, Json.object(out -> {
            out.writeBooleanProperty("done", false);
            plan(out, plan);
        }));
    }

    /** Carries out an undo. */
    public HttpReply apply(Arguments arguments) throws HttpException, RefusedException, InterruptedException {
        UndoResult result = undo.apply(request(arguments), arguments.by().get());
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
        Json.objects(out, "largest", undo.largest(plan), counted -> {
            UndoStep step = counted.step();
            out.writeStringProperty("digest", step.digest().hex());
            out.writeNumberProperty("flag", step.flag());
            out.writeNumberProperty("before", step.before());
            out.writeNumberProperty("after", step.after());
            out.writeBooleanProperty("removed", step.removes());
            out.writeNumberProperty("hits_day", counted.hits());
            out.writeNumberProperty("changes", step.changes().size());
        });
    }
}
